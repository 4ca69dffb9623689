/**
 * Native code is not bound by JavaScript: a document that takes over its parser has all of the process. So whoever is
 * about to have a document read by native code says so first, and the process may refuse.
 */

/** This process has read something of others: another one has to read the document. */
export class NativeCodeRefused extends Error {
  override readonly name = 'NativeCodeRefused';
}

let ask: () => Promise<void> = async () => undefined;

/** Has every document's native parser ask first; `question` rejects with NativeCodeRefused, or resolves. */
export function guardNativeCode(question: () => Promise<void>): void {
  ask = question;
}

/** To be awaited before native code gets to see content. @throws NativeCodeRefused */
export function beforeNativeCode(): Promise<void> {
  return ask();
}
