/** Appends entries to a list, one `push` each: some 100,000 arguments of one `push` overflow the stack. */
export function append<T>(list: T[], entries: readonly T[]): void {
  for (const entry of entries) list.push(entry);
}
