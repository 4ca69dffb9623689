/** Formats rows as aligned text columns; the first is aligned left, the others right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `  ${line}`)
    .join('\n');
}

/** Formats a number with `decimals` decimals, or a dash if it is undefined or NaN. */
export function figure(value: number | undefined, decimals = 1): string {
  return value === undefined || Number.isNaN(value) ? '-' : value.toFixed(decimals);
}
