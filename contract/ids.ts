const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether PostgreSQL would take this for a uuid. */
export function isUuid(value: string): boolean {
  return uuidPattern.test(value);
}
