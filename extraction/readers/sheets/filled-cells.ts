/** Checks the minimum number of filled cells without parsing the workbook: parsing too many takes half a minute. */

import type { Container } from '../../detection/containers/zip.ts';
import { assertWithin, type Limits } from '../../limits.ts';

/** Length of the shortest cell with a value: <c><v>1</v></c>. */
const MIN_CELL_BYTES = 15;

/** @throws SourceError `extraction_limit` where the sheets of an XLSX certainly fill more than `cells` */
export async function assertFillable(container: Container, limits: Limits): Promise<void> {
  let filled = 0;
  for (const path of container.paths) {
    if (!/^xl\/worksheets\/[^/]+\.xml$/i.test(path)) continue;
    const sheet = await container.bytes(path);
    if (sheet === null || filled + sheet.length / MIN_CELL_BYTES < limits.cells) continue;
    filled += occurrences(Buffer.from(sheet.buffer, sheet.byteOffset, sheet.byteLength), '</v>');
    assertWithin(limits, 'cells', filled);
  }
}

function occurrences(bytes: Buffer, text: string): number {
  let count = 0;
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) count += 1;
  return count;
}
