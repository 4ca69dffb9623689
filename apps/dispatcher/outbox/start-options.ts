import { defineSearchAttributeKey, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { ClaimedCommand } from '../../../db/transitions/outbox/claim-commands.ts';

const keys = {
  OwnerId: defineSearchAttributeKey('OwnerId', 'KEYWORD'),
  SpaceId: defineSearchAttributeKey('SpaceId', 'KEYWORD'),
  SourceId: defineSearchAttributeKey('SourceId', 'KEYWORD'),
  SourceType: defineSearchAttributeKey('SourceType', 'KEYWORD'),
};

/** Returns the summary of a run, cut to 190 bytes of UTF-8: Temporal shows at most 200. */
export function summaryOf(kind: string, about?: string | null): string {
  const text = new TextEncoder().encode(about == null ? kind : `${kind}: ${about}`);
  return new TextDecoder().decode(text.slice(0, 190)).replace(/\uFFFD+$/, '');
}

/**
 * Options with which every run is started. An open run with the same id is used, a closed one is followed by another.
 * The search attributes are for operators. The fairness key keeps one owner's many runs from delaying another's.
 */
export function startOptions(taskQueue: string, workflowId: string, summary: string, command: ClaimedCommand) {
  const { ownerId, spaceId, sourceId, sourceType } = command;
  return {
    taskQueue,
    workflowId,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    typedSearchAttributes: [
      { key: keys.OwnerId, value: ownerId },
      ...(spaceId === null ? [] : [{ key: keys.SpaceId, value: spaceId }]),
      ...(sourceId === null ? [] : [{ key: keys.SourceId, value: sourceId }]),
      ...(sourceType === null ? [] : [{ key: keys.SourceType, value: sourceType }]),
    ],
    staticSummary: summary,
    priority: { fairnessKey: ownerId },
  };
}
