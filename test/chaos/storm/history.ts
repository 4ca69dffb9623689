/** History of a chaos run: the clients' requests with their responses, and the faults, recorded outside the service. */
import { appendFileSync } from 'node:fs';
import type { SourceType } from '../../../contract/statuses.ts';

/** Requests about sources, single or in bulk. */
export const sourceActions = ['create', 'cancel', 'reprocess', 'refresh', 'update', 'delete', 'restore'] as const;
export type SourceAction = (typeof sourceActions)[number];

export const otherActions = [
  ...['upload again', 'process artifact', 'promote artifact', 'create ticket'],
  ...['delete space', 'restore space', 'wait for a source', 'stream a source'],
] as const;
export type OtherAction = (typeof otherActions)[number];

/** `unknown`: no response, a 5xx, or a commit that a failover may have lost; the request may have taken effect. */
export type Acceptance = 'accepted' | 'rejected' | 'unknown';

/** `initial_data.data` as it was sent, and the content that is expected of its results. */
export interface SourceData {
  sent: unknown;
  /** CONTENT: the version of the text. */
  version: number | null;
  /** COMPOSITION: markers of its members, in order. */
  members: string[];
}

interface BaseRequest {
  sentAt: number;
  respondedAt: number | null;
  acceptance: Acceptance;
  status: number | null;
}

export interface Request extends BaseRequest {
  action: SourceAction;
  /** Whether it was part of a bulk action. */
  bulk: boolean;
  /** Marker of the source, which is its name and part of its content. */
  marker: string;
  sourceId: string | null;
  /** The source in the response. */
  response: { id: string; status: string; generation: number } | null;
  /** Updates only. */
  data: SourceData | null;
}

export interface OtherRequest extends BaseRequest {
  action: OtherAction;
  /** The id of the artifact or space, the marker of the ticket, the key of the file. */
  subject: string;
  /** The id in the response: of the promoted source or the ticket. */
  responseId: string | null;
  /** Content of the artifact as read before the request, or version of the file. */
  detail: string;
}

/** A source as known to the client that created it. */
export interface KnownSource {
  marker: string;
  type: SourceType;
  /** API key of its user. */
  ownerKey: string;
  spaceId: string;
  postbackUrl: string | null;
  /** COMPOSITION: failed members are left out. */
  skips: boolean;
  /** Data of the create. */
  data: SourceData;
  /** Ids from accepted creates; more than one if the create was executed twice. */
  ids: Set<string>;
  /** Newest version of its text or file that was sent. */
  version: number;
  /** FILE: the presigned URL, for uploading again. */
  grant: { fileKey: string; uploadUrl: string } | null;
}

/** Commits between the two times, in milliseconds since 1970, may have been lost by a failover. */
export interface LossWindow {
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
  /** By marker, including sources whose create never got a response. */
  sources: Map<string, KnownSource>;
  losses: LossWindow[];
  /** Terminations of runs, including those whose response was lost. */
  terminations: Termination[];
  record(request: Request): void;
  recordOther(request: OtherRequest): void;
  /** Records any other event, such as a fault. */
  note(event: Record<string, unknown>): void;
}

/** Creates a history that is also written to `file` as JSON lines. */
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

/** Returns whether a commit between the two times may have been lost. */
export function mayBeLost({ losses }: Pick<History, 'losses'>, sentAt: number, respondedAt: number): boolean {
  return losses.some(({ from, to }) => sentAt <= to && respondedAt >= from);
}

/** Sets requests whose commits a failover may have lost to `unknown`. */
export function markLostAsUnknown(history: History): void {
  for (const request of [...history.requests, ...history.others]) {
    const { acceptance, sentAt, respondedAt } = request;
    if (acceptance === 'accepted' && mayBeLost(history, sentAt, respondedAt ?? Number.POSITIVE_INFINITY)) {
      request.acceptance = 'unknown';
    }
  }
  for (const source of history.sources.values()) {
    const creates = history.requests.filter(({ action, marker }) => action === 'create' && marker === source.marker);
    const confirmed = new Set(
      creates.flatMap(({ acceptance, response }) => (acceptance === 'accepted' ? [response?.id] : [])),
    );
    // A lost create that was repeated made another source.
    for (const id of source.ids) if (!confirmed.has(id)) source.ids.delete(id);
  }
}
