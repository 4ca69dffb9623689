import type { ArtifactRound } from '../contract/commands.ts';
import { SourceError } from '../contract/errors.ts';
import {
  type ArtifactToProcess,
  endArtifactFailed,
  endArtifactProcessed,
  readArtifactToProcess,
} from '../db/transitions/artifacts/process-artifact.ts';
import { enrichArtifact as enrichContent } from '../extraction/findings/artifacts/enrich/enrich-artifact.ts';
import { imageAddress } from '../extraction/findings/artifacts/enrich/image.ts';
import { checkAddress } from './check-address.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { acquireOwnerSlot, currentOwner } from './runtime/owner-concurrency.ts';
import { failureOf, messageFor } from './runtime/stage.ts';
import { withTries } from './runtime/tries.ts';

/** Bytes of a page that are read: its title is near the beginning. */
const PAGE_BYTES = 512 * 1024;
/** Bytes of an image that are read: only its status and headers matter. */
const IMAGE_BYTES = 1_024;
const MAX_TRIES = 5;

/** Enriches an artifact by its kind and ends the round. Does nothing when the artifact is gone or the round is over. */
export async function enrichArtifact(deps: Dependencies, ref: ArtifactRound): Promise<void> {
  const fence = { kind: 'artifact', id: ref.artifactId, number: ref.round } as const;
  await withTries(deps, fence, { maxTries: MAX_TRIES, admit: acquireOwnerSlot(deps.ownerSlots) }, async (signal) => {
    try {
      const artifact = await readArtifactToProcess(deps.database.pool, ref);
      if (artifact === null) {
        deps.logger.info({ event: 'artifact.nothing_to_process', ...ref });
        return;
      }
      const found = await enrich(deps, artifact, signal);
      const written = await endArtifactProcessed(deps.database.pool, ref, found);
      deps.logger.info({ event: written ? 'artifact.processed' : 'artifact.fenced_out', ...ref, kind: artifact.kind });
    } catch (error) {
      // An internal error may not recur, so it is retried; an error of the content would recur.
      if (!(error instanceof SourceError) || error.code === 'internal') throw error;
      // The round ends here, not in the workflow: the message may quote user content, which must not reach Temporal.
      await endArtifactFailed(deps.database.pool, ref, { code: error.code, message: messageFor(error) });
      throw failureOf(error);
    }
  });
}

async function enrich(
  deps: Dependencies,
  artifact: ArtifactToProcess,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const owner = currentOwner();
  switch (artifact.kind) {
    // Tables and code are parsed, and the input may be malicious: not in this process.
    case 'table':
    case 'code':
      return deps.extraction.run('enrich', artifact, { owner, signal });
    case 'link': {
      const { facts, response } = await checkAddress(deps, artifact.content, { maxBytes: PAGE_BYTES, signal });
      const isPage = /^(?:text\/html|application\/xhtml\+xml)\b/i.test(response?.contentType ?? '');
      const pageTitle =
        response !== null && facts.reachable && isPage
          ? await deps.extraction.run(
              'pageTitle',
              { bytes: response.body, contentType: response.contentType },
              { owner, signal },
            )
          : null;
      return { pageTitle, ...facts };
    }
    case 'image': {
      const { facts } = await checkAddress(deps, imageAddress(artifact.content), { maxBytes: IMAGE_BYTES, signal });
      return { ...enrichContent(artifact), ...facts };
    }
    default:
      return enrichContent(artifact);
  }
}
