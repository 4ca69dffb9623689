const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a value is a UUID for PostgreSQL, in any case. */
export function isUuid(value: string): boolean {
  return uuidPattern.test(value);
}
