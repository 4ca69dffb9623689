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

/** The pauses between two looks grow by this. */
const FIRST_LOOK_MS = 1_000;

type Member = MemberState & { id: string };

interface MemberVerdict {
  member: Member;
  /** Null: the member's last completed result can be joined. */
  failure: 'member_failed' | 'member_canceled' | 'member_deleted' | 'member_timeout' | null;
}

/** The members in their order. One that was purged is still named by what the user sent. */
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

/** True when the member has ended a generation no older than the one that this run waits for. */
function hasEnded(member: MemberState): boolean {
  return member.deleted || (member.endedGeneration ?? 0) >= member.awaitedGeneration;
}

/** What each member means for the composition: its newest ended generation decides. */
export function judgeMembers(members: Member[]): MemberVerdict[] {
  return members.map((member) => {
    if (member.deleted) return { member, failure: 'member_deleted' };
    if (!hasEnded(member)) return { member, failure: 'member_timeout' };
    if (member.endedOutcome === 'CANCELED') return { member, failure: 'member_canceled' };
    if (member.endedOutcome !== 'COMPLETED' || member.markdownKey === null) return { member, failure: 'member_failed' };
    return { member, failure: null };
  });
}

export function memberError({ member, failure }: MemberVerdict): SourceError {
  const what = {
    member_failed: 'failed',
    member_canceled: 'was canceled',
    member_deleted: 'was deleted',
    member_timeout: 'did not end in time',
  };
  const subject = member.name === null ? member.id : `"${member.name}" (${member.id})`;
  return new SourceError(failure ?? 'member_failed', `The member ${subject} ${what[failure ?? 'member_failed']}.`);
}

/** For how much longer a composition waits for its members. */
export function waitLeftMs({ config }: Dependencies, { startedMsAgo }: GenerationInput): number {
  return config.MEMBER_WAIT_SECONDS * 1_000 - startedMsAgo;
}

/**
 * Returns once every member has ended a generation no older than the one it had when this run began, or the wait is
 * over. Until then it fails, saying when to look again: between two looks nothing runs and no history is added.
 */
export async function awaitMembers(deps: Dependencies, ref: GenerationRef): Promise<void> {
  const look = async (input: GenerationInput) => {
    const members = await findMembers(deps, ref, input);
    if (members.every(hasEnded)) return;
    if (!input.skipsFailedMembers) {
      const failed = judgeMembers(members).find(({ failure }) => failure !== null && failure !== 'member_timeout');
      if (failed) throw memberError(failed);
    }
    const left = waitLeftMs(deps, input);
    if (left <= 0) return;
    const { attempt } = Context.current().info;
    throw ApplicationFailure.create({
      type: membersNotEnded,
      message: `${members.filter((member) => !hasEnded(member)).length} of ${members.length} members have not ended yet.`,
      nextRetryDelay: Math.min(FIRST_LOOK_MS * attempt, deps.config.MEMBER_LOOK_SECONDS * 1_000, left),
    });
  };
  await runStage(deps, 'wait', ref, look, { endsNoWorker: true });
}
