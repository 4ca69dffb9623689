/** The words of the lines: lists of many short words are read best with some of them on a line. */
export function words(...lines: readonly string[]): string[] {
  return lines.join(' ').split(' ');
}
