/** A hostile document and its expected outcomes. */
import type { SourceErrorCode } from '../../../contract/errors.ts';
import type { Content } from '../../../extraction/content.ts';
import { contentOf } from '../content.ts';

export interface HostileCase {
  name: string;
  filename: string;
  /** Accepted outcomes: error codes, or `read` if it may be read within its limits. */
  ends: readonly (SourceErrorCode | 'read')[];
  make(): Content;
  /** The expected format. */
  readAs?: string;
  /** A string that must not occur in the Markdown. */
  absent?: string;
}

type Ends = SourceErrorCode | 'read';

/** Makes a case from a file. */
export function fileCase(
  name: string,
  filename: string,
  make: () => string | Uint8Array,
  ends: Ends | readonly Ends[],
  absent?: string,
): HostileCase {
  return {
    name,
    filename,
    ends: typeof ends === 'string' ? [ends] : ends,
    make: () => contentOf(make(), { filename }),
    ...(absent === undefined ? {} : { absent }),
  };
}
