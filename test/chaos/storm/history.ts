/** The requests of a storm's clients with their answers, and its faults: a log that the service has no part in. */
import { appendFileSync } from 'node:fs';
import type { SourceType } from '../../../contract/statuses.ts';

/** What clients ask of a source, one by one or in bulk. */
export const sourceActions = ['create', 'cancel', 'reprocess', 'refresh', 'update', 'delete', 'restore'] as const;
export type SourceAction = (typeof sourceActions)[number];

export const otherActions = [
  ...['upload again', 'process artifact', 'promote artifact', 'create ticket'],
  ...['delete space', 'restore space', 'wait for a source', 'stream a source'],
] as const;
export type OtherAction = (typeof otherActions)[number];

/** `unknown`: no answer, a status of the kind 5xx, or a commit that a failover may have lost. It may have been done. */
export type Verdict = 'accepted' | 'refused' | 'unknown';

/** `initial_data.data` as it was sent, and what its results have to consist of. */
export interface SourceData {
  sent: unknown;
  /** CONTENT: the version of the text. */
  version: number | null;
  /** COMPOSITION: markers of its members, in order. */
  members: string[];
}

interface Asked {
  sentAt: number;
  answeredAt: number | null;
  verdict: Verdict;
  status: number | null;
}

export interface Request extends Asked {
  action: SourceAction;
  /** One of several in a bulk action. */
  bulk: boolean;
  /** Of the source; in its name and in its content. */
  marker: string;
  sourceId: string | null;
  /** Of the source in the answer. */
  answer: { id: string; status: string; generation: number } | null;
  /** Of an update. */
  data: SourceData | null;
}

export interface OtherRequest extends Asked {
  action: OtherAction;
  /** The id of the artifact or space, the marker of the ticket, the key of the file. */
  subject: string;
  /** The id that was answered: of the promoted source or the ticket. */
  answerId: string | null;
  /** Of the artifact, when it was read before; the version of the file. */
  detail: string;
}

/** A source as the client that made it knows it. */
export interface KnownSource {
  marker: string;
  type: SourceType;
  /** The key of its user. */
  ownerKey: string;
  spaceId: string;
  postbackUrl: string | null;
  /** COMPOSITION: members that failed are left out. */
  skips: boolean;
  /** Of the create. */
  data: SourceData;
  /** Every id that an accepted answer gave it: one, unless a create was done twice. */
  ids: Set<string>;
  /** The newest version that was sent of its text or file. */
  version: number;
  /** FILE: where the file can be put again. */
  grant: { fileKey: string; uploadUrl: string } | null;
}

/** Commits from `from` on may be lost, those after `to` are not: milliseconds since 1970. */
export interface Loss {
  from: number;
  to: number;
}

export interface Termination {
  sourceId: string;
  at: number;
}

export interface History {
  requests: Request[];
  others: OtherRequest[];
  /** By marker, also those whose create was never answered. */
  sources: Map<string, KnownSource>;
  losses: Loss[];
  /** Of runs, also where their answer was lost. */
  terminations: Termination[];
  record(request: Request): void;
  recordOther(request: OtherRequest): void;
  /** Notes something else that happened. */
  note(event: Record<string, unknown>): void;
}

/** Starts a history that is written to `file` too, one JSON object a line. */
export function createHistory(file: string): History {
  const requests: Request[] = [];
  const others: OtherRequest[] = [];
  const write = (line: object) => appendFileSync(file, `${JSON.stringify(line)}\n`);
  return {
    requests,
    others,
    sources: new Map(),
    losses: [],
    terminations: [],
    record(request) {
      requests.push(request);
      write({ at: new Date(request.sentAt).toISOString(), ...request });
    },
    recordOther(request) {
      others.push(request);
      write({ at: new Date(request.sentAt).toISOString(), ...request });
    },
    note: (event) => write({ at: new Date().toISOString(), ...event }),
  };
}

/** Whether a commit between the two moments may have been lost. */
export function mayBeLost({ losses }: Pick<History, 'losses'>, sentAt: number, answeredAt: number): boolean {
  return losses.some(({ from, to }) => sentAt <= to && answeredAt >= from);
}

/** Requests whose commits a failover may have lost become `unknown`. */
export function forgetLost(history: History): void {
  for (const request of [...history.requests, ...history.others]) {
    const { verdict, sentAt, answeredAt } = request;
    if (verdict === 'accepted' && mayBeLost(history, sentAt, answeredAt ?? Number.POSITIVE_INFINITY)) {
      request.verdict = 'unknown';
    }
  }
  for (const source of history.sources.values()) {
    const creates = history.requests.filter(({ action, marker }) => action === 'create' && marker === source.marker);
    const sure = new Set(creates.flatMap(({ verdict, answer }) => (verdict === 'accepted' ? [answer?.id] : [])));
    // One that was lost and asked for again is another source.
    for (const id of source.ids) if (!sure.has(id)) source.ids.delete(id);
  }
}
