/** What the clients of a storm did and what they were answered: their own log, which nothing of the service writes. */
import { appendFileSync } from 'node:fs';
import type { SourceType } from '../../../contract/statuses.ts';

export const actions = ['create', 'cancel', 'reprocess', 'refresh', 'update', 'delete', 'restore'] as const;
export type Action = (typeof actions)[number];

/** `unknown`: no answer, or one of the kind 5xx. It may have been done. */
export type Verdict = 'accepted' | 'refused' | 'unknown';

export interface Request {
  action: Action;
  /** Of the source; in its name and in its content. */
  marker: string;
  sourceId: string | null;
  sentAt: number;
  answeredAt: number | null;
  verdict: Verdict;
  status: number | null;
  /** Of the source in the answer. */
  answer: { id: string; status: string; generation: number } | null;
}

/** A source as the client that made it knows it. */
export interface KnownSource {
  marker: string;
  type: SourceType;
  postbackUrl: string | null;
  /** COMPOSITION: markers of its members, in order. */
  members: string[];
  /** Every id that an accepted answer gave it: one, unless a create was done twice. */
  ids: Set<string>;
  /** CONTENT: the newest version that was sent. */
  version: number;
}

export interface Ledger {
  requests: Request[];
  /** By marker, also those whose create was never answered. */
  sources: Map<string, KnownSource>;
  record(request: Request): void;
  /** Notes something else that happened. */
  note(event: Record<string, unknown>): void;
}

/** Starts a ledger that is written to `file` too, one JSON object a line. */
export function createLedger(file: string): Ledger {
  const requests: Request[] = [];
  const write = (line: object) => appendFileSync(file, `${JSON.stringify(line)}\n`);
  return {
    requests,
    sources: new Map(),
    record(request) {
      requests.push(request);
      write({ at: new Date(request.sentAt).toISOString(), ...request });
    },
    note: (event) => write({ at: new Date().toISOString(), ...event }),
  };
}
