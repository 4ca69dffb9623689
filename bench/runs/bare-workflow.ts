/** What a run of CONTENT asks of Temporal, and nothing else. */
import type { GenerationRef } from '../../contract/commands.ts';
import { showStatus } from '../../workflows/search-attributes.ts';
import { beginGeneration, extractContent, finishGeneration } from '../../workflows/steps.ts';

/** The service's own steps, so that their kinds and options are the same; the bare worker's activities do nothing. */
export async function bare(ref: GenerationRef): Promise<void> {
  await beginGeneration(ref);
  showStatus('PROCESSING', ref.generation);
  await extractContent(ref, { context: true, artifacts: true });
  await finishGeneration(ref, { status: 'COMPLETED' });
  showStatus('COMPLETED', ref.generation);
}
