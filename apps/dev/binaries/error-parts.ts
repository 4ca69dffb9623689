/** Reads errors of Node by their shape: `instanceof Error` fails for those that cross from another realm, as in jest. */

function part(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}

/** `code` of a system error, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  const code = part(error, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** What a program that failed wrote to its standard error, or the message of any other error with its cause's. */
export function errorText(error: unknown): string {
  const output = part(error, 'stderr');
  if (typeof output === 'string' && output.trim() !== '') return output.trim();
  const message = part(error, 'message');
  // fetch() says "fetch failed" and hides in the cause what failed.
  const cause = part(part(error, 'cause'), 'message');
  return [message ?? error, cause].filter((text) => text !== undefined).join(': ');
}
