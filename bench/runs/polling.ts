/** Poll intervals and timeout, the same for every side. */

/** Too rare to slow the measured processes, and small compared with the seconds of a burst. */
export const BURST_POLL_MS = 50;
export const SINGLE_POLL_MS = 1;
export const TIMEOUT_MS = 300_000;
