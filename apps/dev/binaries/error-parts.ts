/** Reads Node's errors by their shape: `instanceof Error` fails for errors of another realm, as in jest. */

function property(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}

/** `code` of a system error, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  const code = property(error, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** Returns the standard error of a failed program, or the message of another error with its cause's. */
export function errorText(error: unknown): string {
  const output = property(error, 'stderr');
  if (typeof output === 'string' && output.trim() !== '') return output.trim();
  const message = property(error, 'message');
  // fetch() says only "fetch failed"; the reason is in the cause.
  const cause = property(property(error, 'cause'), 'message');
  return [message ?? error, cause].filter((text) => text !== undefined).join(': ');
}
