/** How a bench learns what has ended: one poll for all of a burst and for a single one, on every side alike. */

/** Seldom enough to take nothing from what is measured, and nothing beside a burst's seconds. */
export const BURST_POLL_MS = 50;
export const SINGLE_POLL_MS = 1;
/** What has not ended by then never will. */
export const LIMIT_MS = 300_000;
