/** Client of server-sent events (WHATWG) that records all events; parses only the fields that the service sends. */
import type { SourceResource } from '../../contract/resources.ts';
import { until } from './until.ts';

export interface ReceivedEvent {
  event: string;
  id: string;
  data: SourceResource;
  /** Time of arrival, in milliseconds since 1970. */
  at: number;
}

export interface OpenStream {
  status: number;
  headers: Headers;
  events: ReceivedEvent[];
  comments: string[];
  /** Resolves when the server or `close` ends the stream. */
  ended: Promise<void>;
  close(): Promise<void>;
  /** Waits for a matching event; `what` describes it in the timeout error. */
  see(what: string, matches: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent>;
}

function parse(block: string): ReceivedEvent {
  const fields = Object.fromEntries(
    block.split('\n').map((line): [string, string] => {
      const [name = '', ...rest] = line.split(': ');
      return [name, rest.join(': ')];
    }),
  );
  return { event: fields.event ?? '', id: fields.id ?? '', data: JSON.parse(fields.data ?? 'null'), at: Date.now() };
}

export async function openStream(url: string, key: string, lastEventId?: string): Promise<OpenStream> {
  const abort = new AbortController();
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}`, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
    signal: abort.signal,
  });
  const events: ReceivedEvent[] = [];
  const comments: string[] = [];

  async function read(): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.startsWith(':')) comments.push(block);
        else events.push(parse(block));
      }
    }
  }
  const ended = response.headers.get('content-type')?.startsWith('text/event-stream')
    ? read().catch(() => undefined)
    : Promise.resolve();
  return {
    status: response.status,
    headers: response.headers,
    events,
    comments,
    ended,
    async close() {
      abort.abort();
      await ended;
    },
    see: (what, matches) => until(what, async () => events.find(matches)),
  };
}
