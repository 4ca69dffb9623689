import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { GenerationRef } from '../contract/commands.ts';
import { SourceError } from '../contract/errors.ts';
import { parseMemberIds } from '../contract/members.ts';
import { type MemberState, readMembers } from '../db/queries/sources/composition-members.ts';
import type { GenerationInput } from '../db/transitions/generations/record-progress.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { runStage } from './runtime/stage.ts';
import { membersNotEnded } from './runtime/tries.ts';

/** Delay before the second check of the members; each further delay is longer by this. */
const FIRST_DELAY_MS = 1_000;

type Member = MemberState & { id: string };

interface ClassifiedMember {
  member: Member;
  /** Why the member cannot be joined; null: its last completed result can be joined. */
  failure: 'member_failed' | 'member_canceled' | 'member_deleted' | 'member_timeout' | null;
}

/** The members in their order. The id of a purged member is taken from the composition's `initialData`. */
export async function findMembers(
  { database }: Dependencies,
  { sourceId }: GenerationRef,
  { initialData }: GenerationInput,
): Promise<Member[]> {
  const named = parseMemberIds(initialData.data);
  const members = await readMembers(database.pool, sourceId);
  return members.map((member) => ({
    ...member,
    id: member.id ?? (named.ok ? named.ids[member.position] : undefined) ?? 'unknown',
  }));
}

/** Whether the member is deleted or has ended the awaited generation or a newer one. */
function hasEnded(member: MemberState): boolean {
  return member.deleted || (member.endedGeneration ?? 0) >= member.awaitedGeneration;
}

/** Whether each member can be joined, by its newest ended generation. */
export function classifyMembers(members: Member[]): ClassifiedMember[] {
  return members.map((member) => {
    if (member.deleted) return { member, failure: 'member_deleted' };
    if (!hasEnded(member)) return { member, failure: 'member_timeout' };
    if (member.endedOutcome === 'CANCELED') return { member, failure: 'member_canceled' };
    if (member.endedOutcome !== 'COMPLETED' || member.markdownKey === null) return { member, failure: 'member_failed' };
    return { member, failure: null };
  });
}

export function memberError({ member, failure }: ClassifiedMember): SourceError {
  const problem = {
    member_failed: 'failed',
    member_canceled: 'was canceled',
    member_deleted: 'was deleted',
    member_timeout: 'did not end in time',
  };
  const subject = member.name === null ? member.id : `"${member.name}" (${member.id})`;
  return new SourceError(failure ?? 'member_failed', `The member ${subject} ${problem[failure ?? 'member_failed']}.`);
}

/** Milliseconds until the composition stops waiting for its members; negative after that. */
export function remainingWaitMs({ config }: Dependencies, { startedMsAgo }: GenerationInput): number {
  return config.MEMBER_WAIT_SECONDS * 1_000 - startedMsAgo;
}

/**
 * Returns once every member has ended the generation that was its current one when this run began, or a newer one, or
 * after MEMBER_WAIT_SECONDS. Until then it fails with the delay to the next check: between two checks nothing runs and
 * no history is added.
 * @throws SourceError of the first failed member, unless failed members are skipped
 */
export async function awaitMembers(deps: Dependencies, ref: GenerationRef): Promise<void> {
  const checkMembers = async (input: GenerationInput) => {
    const members = await findMembers(deps, ref, input);
    if (members.every(hasEnded)) return;
    if (!input.skipsFailedMembers) {
      const failed = classifyMembers(members).find(({ failure }) => failure !== null && failure !== 'member_timeout');
      if (failed) throw memberError(failed);
    }
    const remaining = remainingWaitMs(deps, input);
    if (remaining <= 0) return;
    const { attempt } = Context.current().info;
    throw ApplicationFailure.create({
      type: membersNotEnded,
      message: `${members.filter((member) => !hasEnded(member)).length} of ${members.length} members have not ended yet.`,
      nextRetryDelay: Math.min(FIRST_DELAY_MS * attempt, deps.config.MEMBER_LOOK_SECONDS * 1_000, remaining),
    });
  };
  await runStage(deps, 'wait', ref, checkMembers, { cannotCrashWorker: true });
}
