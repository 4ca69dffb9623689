/** What processing finds in an artifact itself, by its kind. Links and images are besides asked for by the activity. */
import { SourceError } from '../../../../contract/errors.ts';
import type { ExtractedArtifact } from '../../../../contract/extraction.ts';
import { enrichCode } from './code.ts';
import { enrichCommand } from './command.ts';
import { enrichImage } from './image.ts';
import { enrichTable } from './table.ts';
import { enrichTask } from './task.ts';
import { enrichText } from './text.ts';

export type ArtifactContent = Pick<ExtractedArtifact, 'kind' | 'title' | 'content' | 'language' | 'metadata'>;

/** UTF-16 code units; ten times the largest table or code block that people write. */
const maxLength = 256 * 1024;

/** The metadata to be merged. Pure. @throws SourceError `extraction_limit`, `unsupported_format` */
export function enrichArtifact(artifact: ArtifactContent): Record<string, unknown> {
  if (artifact.content.length > maxLength) {
    throw new SourceError(
      'extraction_limit',
      `The artifact has ${artifact.content.length} characters; the most that is processed is ${maxLength}.`,
    );
  }
  switch (artifact.kind) {
    case 'table':
      return enrichTable(artifact.content);
    case 'code':
      return enrichCode(artifact.content, artifact.language);
    case 'command':
      return enrichCommand(artifact.content);
    case 'task':
      return enrichTask(artifact.content, artifact.metadata);
    case 'image':
      return enrichImage(artifact);
    case 'link':
      return {};
    default:
      return enrichText(artifact.content);
  }
}
