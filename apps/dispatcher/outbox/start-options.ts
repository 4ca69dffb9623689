import { defineSearchAttributeKey, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { ClaimedCommand } from '../../../db/transitions/outbox/claim-commands.ts';

const keys = {
  OwnerId: defineSearchAttributeKey('OwnerId', 'KEYWORD'),
  SpaceId: defineSearchAttributeKey('SpaceId', 'KEYWORD'),
  SourceId: defineSearchAttributeKey('SourceId', 'KEYWORD'),
  SourceType: defineSearchAttributeKey('SourceType', 'KEYWORD'),
};

/** Temporal shows at most 200 bytes of a summary. */
export function summaryOf(kind: string, about?: string | null): string {
  const text = new TextEncoder().encode(about == null ? kind : `${kind}: ${about}`);
  return new TextDecoder().decode(text.slice(0, 190)).replace(/\uFFFD+$/, '');
}

/**
 * How every run is started: an open one with the same id is used, a closed one may be followed by another; operators
 * find it by what it is about; and one owner's many do not hold up another's one.
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
