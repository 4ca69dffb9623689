import { defineSearchAttributeKey } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import type { SourceStatus } from '../contract/statuses.ts';

const statusKey = defineSearchAttributeKey('SourceStatus', 'KEYWORD');
const generationKey = defineSearchAttributeKey('Generation', 'INT');

/** Shows operators the source's status and generation. One upsert for both, since each is an event in the history. */
export function showStatus(status: SourceStatus, generation: number): void {
  upsertSearchAttributes([
    { key: statusKey, value: status },
    { key: generationKey, value: generation },
  ]);
}
