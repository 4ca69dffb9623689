import type { GenerationRef } from '../contract/commands.ts';
import { keepArtifacts, storeArtifacts } from '../db/transitions/record-progress.ts';
import type { Dependencies } from './dependencies.ts';
import { currentOwner } from './owner-turns.ts';
import { readContent, readObject } from './read-content.ts';
import { runStage } from './step.ts';

/** Finds the artifacts of the content, in this generation's Markdown where its context was extracted too. */
export async function extractArtifacts(deps: Dependencies, ref: GenerationRef): Promise<void> {
  const { database, extraction, storage } = deps;
  const owner = currentOwner();
  await runStage(deps, 'artifacts', ref, async (input, signal) => {
    if (input.artifactsHold) {
      await keepArtifacts(database.pool, ref);
      return;
    }
    const markdown =
      input.markdownKey !== null
        ? await readObject(storage, input.markdownKey, signal)
        : input.type === 'COMPOSITION'
          ? (await readContent(deps, input, signal)).bytes
          : null;
    const artifacts =
      markdown === null
        ? await extraction.run('readArtifacts', await readContent(deps, input, signal), { owner, signal })
        : await extraction.run('artifacts', { markdown: new TextDecoder().decode(markdown) }, { owner, signal });
    await storeArtifacts(database.pool, ref, artifacts);
  });
}
