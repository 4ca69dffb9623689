import { defineSignal } from '@temporalio/workflow';
import type { Command, SourceCommand } from '../contract/commands.ts';

// Payloads are `unknown`: operators can send signals by hand, so the handlers parse them.
export const cancelSignal = defineSignal<[unknown]>('cancel' satisfies SourceCommand);
export const reprocessSignal = defineSignal<[unknown]>('reprocess' satisfies SourceCommand);
export const refreshSignal = defineSignal<[unknown]>('refresh' satisfies SourceCommand);
export const deliverSignal = defineSignal<[unknown]>('deliver' satisfies SourceCommand);
export const processSignal = defineSignal<[unknown]>('process' satisfies Command);
