/** Task queues of the bare workflows. */
export const BARE_TASK_QUEUE = 'bench-bare';
export const FIXED_TASK_QUEUE = 'bench-fixed';
