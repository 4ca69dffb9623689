/** A long text of an answer, sent as it comes from the storage: this process never holds more than a piece of it. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { OpenObject } from '../../../platform/storage.ts';

/** The field of a result that is left empty there, and what it holds. */
export interface StreamedText {
  field: string;
  open(): Promise<OpenObject>;
}

/** Answers with the text alone. */
export async function sendText(reply: FastifyReply, { open }: StreamedText, mediaType: string): Promise<FastifyReply> {
  reply.type(`${mediaType}; charset=utf-8`);
  if (reply.request.method === 'HEAD') return reply.send();
  const { body, sizeBytes } = await open();
  return reply.header('content-length', sizeBytes).send(body);
}

/** Answers with the JSON of `answer`, in which the text's field stands once, empty. */
export async function sendWithText(
  reply: FastifyReply,
  { field, open }: StreamedText,
  answer: object,
): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8');
  if (reply.request.method === 'HEAD') return reply.send();
  const { body } = await open();
  return reply.send(Readable.from(withText(JSON.stringify(answer), field, body), { objectMode: false }));
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
