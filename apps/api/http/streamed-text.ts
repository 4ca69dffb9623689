/** A long text of a response, streamed from storage: only a chunk of it is in memory. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { OpenObject } from '../../../platform/storage.ts';

/** A field of the result that is left empty, and the object with its text. */
export interface StreamedText {
  field: string;
  open(): Promise<OpenObject>;
}

/** Sends the text alone. */
export async function sendText(reply: FastifyReply, { open }: StreamedText, mediaType: string): Promise<FastifyReply> {
  reply.type(`${mediaType}; charset=utf-8`);
  if (reply.request.method === 'HEAD') return reply.send();
  const { body, sizeBytes } = await open();
  return reply.header('content-length', sizeBytes).send(body);
}

/** Sends `envelope` as JSON, with the text in its field, which occurs once and is empty. */
export async function sendWithText(
  reply: FastifyReply,
  { field, open }: StreamedText,
  envelope: object,
): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8');
  if (reply.request.method === 'HEAD') return reply.send();
  const { body } = await open();
  return reply.send(Readable.from(withText(JSON.stringify(envelope), field, body), { objectMode: false }));
}

async function* withText(json: string, field: string, body: Readable): AsyncGenerator<string, void> {
  const place = `"${field}":"`;
  const at = json.indexOf(`${place}"`) + place.length;
  const decoder = new TextDecoder();
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
  try {
    yield json.slice(0, at);
    for await (const bytes of body) yield escaped(decoder.decode(bytes, { stream: true }));
    yield escaped(decoder.decode()) + json.slice(at);
  } finally {
    body.destroy();
  }
}
