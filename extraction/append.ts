/** Puts entries behind those of a list. As arguments of `push`, some 100,000 of them overflow the stack. */
export function append<T>(list: T[], entries: readonly T[]): void {
  for (const entry of entries) list.push(entry);
}
