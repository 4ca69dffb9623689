/** The Temporal operations of a CONTENT run, without the service's work. */
import type { GenerationRef } from '../../contract/commands.ts';
import { beginGeneration, extractContent, finishGeneration } from '../../workflows/activities.ts';
import { showStatus } from '../../workflows/search-attributes.ts';

/** Calls the service's activity proxies, so that kinds and options are equal. The bare worker's activities do nothing. */
export async function bare(ref: GenerationRef): Promise<void> {
  await beginGeneration(ref);
  showStatus('PROCESSING', ref.generation);
  await extractContent(ref, { context: true, artifacts: true }, true);
  await finishGeneration(ref, { status: 'COMPLETED' });
  showStatus('COMPLETED', ref.generation);
}
