import { defineSearchAttributeKey } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import type { SourceStatus } from '../contract/statuses.ts';

const statusKey = defineSearchAttributeKey('SourceStatus', 'KEYWORD');
const generationKey = defineSearchAttributeKey('Generation', 'INT');

/** Shows operators where the source stands. Both at once, since each upsert is an event. */
export function showStatus(status: SourceStatus, generation: number): void {
  upsertSearchAttributes([
    { key: statusKey, value: status },
    { key: generationKey, value: generation },
  ]);
}
