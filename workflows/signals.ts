import { defineSignal } from '@temporalio/workflow';
import type { Command, SourceCommand } from '../contract/commands.ts';

// The payloads are unknown here: operators can send signals by hand, and the handlers parse what arrives.
export const cancelSignal = defineSignal<[unknown]>('cancel' satisfies SourceCommand);
export const reprocessSignal = defineSignal<[unknown]>('reprocess' satisfies SourceCommand);
export const refreshSignal = defineSignal<[unknown]>('refresh' satisfies SourceCommand);
export const deliverSignal = defineSignal<[unknown]>('deliver' satisfies SourceCommand);
export const processSignal = defineSignal<[unknown]>('process' satisfies Command);
