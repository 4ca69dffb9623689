/**
 * A document that compromises a native parser controls the whole process. So a reader calls `beforeNativeCode` before
 * it
 * passes a document to native code, and the process may reject that.
 */

/** Thrown where this process has read documents of other owners: another process must read the document. */
export class NativeCodeRefused extends Error {
  override readonly name = 'NativeCodeRefused';
}

let guard: () => Promise<void> = async () => undefined;

/** Sets the function that `beforeNativeCode` calls; it resolves, or rejects with NativeCodeRefused. */
export function guardNativeCode(newGuard: () => Promise<void>): void {
  guard = newGuard;
}

/** Must be awaited before native code reads content. @throws NativeCodeRefused */
export function beforeNativeCode(): Promise<void> {
  return guard();
}
