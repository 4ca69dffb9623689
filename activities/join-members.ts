import type { GenerationRef } from '../contract/commands.ts';
import { recordJoinedMembers } from '../db/queries/sources/composition-members.ts';
import { transaction } from '../db/sql.ts';
import { storeContent } from '../db/transitions/generations/record-progress.ts';
import { assertWithin } from '../extraction/limits.ts';
import { classifyMembers, findMembers, memberError, remainingWaitMs } from './await-members.ts';
import { objectKey } from './fetch-content.ts';
import { readObject } from './read-content.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { acquireOwnerSlot, currentOwner } from './runtime/owner-concurrency.ts';
import { generationFence, inStage, MAX_TRIES, progressLost } from './runtime/stage.ts';
import { withTries } from './runtime/tries.ts';

/**
 * Joins the members' last completed results, all read in one snapshot, in member order. A member whose newest ended
 * generation did not complete fails the composition, or is skipped and listed with `on_member_failure` = `skip`.
 */
export async function joinMembers(deps: Dependencies, ref: GenerationRef): Promise<void> {
  const { database, extraction, limits, storage } = deps;
  const owner = currentOwner();
  const options = { maxTries: MAX_TRIES, admit: acquireOwnerSlot(deps.joinSlots) };
  await withTries(deps, generationFence(ref), options, (signal) =>
    inStage(deps, 'fetch', ref, signal, async (input) => {
      if (input.contentGeneration === ref.generation) return;
      const classified = classifyMembers(await findMembers(deps, ref, input));
      const failed = classified.filter(({ failure }) => failure !== null);
      // The stage `wait` had found them ended, but a failover has lost that: the generation is run again.
      const isLost = failed.some(({ failure }) => failure === 'member_timeout') && remainingWaitMs(deps, input) > 0;
      if (isLost) throw progressLost();
      const [first] = failed;
      if (first && !input.skipsFailedMembers) throw memberError(first);

      // Check the limit before loading any text.
      assertWithin(
        limits,
        'characters',
        sum(classified.map(({ member, failure }) => (failure === null ? member.characters : 0))),
      );
      const parts: { name: string; markdown: string }[] = [];
      const used: { id: string; generation: number }[] = [];
      for (const { member, failure } of classified) {
        if (failure !== null || member.markdownKey === null || member.resultGeneration === null) continue;
        const markdown = await readObject(storage, member.markdownKey, signal);
        parts.push({ name: member.name ?? '', markdown: new TextDecoder().decode(markdown) });
        used.push({ id: member.id, generation: member.resultGeneration });
      }
      const joined = new TextEncoder().encode(await extraction.run('join', parts, { owner, signal }));
      const key = objectKey(ref, input.generationId, 'joined.md');
      await storage.put(key, joined, 'text/markdown; charset=utf-8', { signal });
      const content = {
        key,
        contentType: 'text/markdown; charset=utf-8',
        sizeBytes: joined.byteLength,
        url: null,
        validators: null,
      };
      const skipped = failed.map(({ member, failure }) => ({ id: member.id, code: failure ?? 'member_failed' }));
      await transaction(database, async (session) => {
        // Of two attempts, only the one that stored its content records its members.
        if (await storeContent(session, ref, content, skipped)) await recordJoinedMembers(session, ref, used);
      });
    }),
  );
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
