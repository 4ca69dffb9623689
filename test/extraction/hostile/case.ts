/** One thing that strangers send, and how it has to end. */
import type { SourceErrorCode } from '../../../contract/errors.ts';
import type { Content } from '../../../extraction/content.ts';
import { contentOf } from '../content.ts';

export interface HostileCase {
  name: string;
  /** The name that the content comes with. */
  filename: string;
  /** The codes that it may end in; `read` where it is read after all, within its limits. */
  ends: readonly (SourceErrorCode | 'read')[];
  make(): Content;
  /** The format that it must be read as. */
  readAs?: string;
  /** What must not come out where it is read. */
  absent?: string;
}

type Ends = SourceErrorCode | 'read';

/** A case of a file with that name. */
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
