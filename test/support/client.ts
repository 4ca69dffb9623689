/** What tests do as a user: plain HTTP requests with the key of a user of their own. */
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type { z } from 'zod';
import type { postbackDeliverySchema, SourceResource } from '../../contract/resources.ts';
import { createUser } from '../../db/transitions/users/create-user.ts';
import { expectDocumented } from './document.ts';
import type { ReceivedRequest, SiteAnswer } from './site.ts';
import { type Stack, stack } from './stack.ts';
import { NotToBeAwaited, until } from './until.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // Tests look into answers freely; what they expect of them is asserted there.
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape.
  body: any;
}

/**
 * A request; `body` is sent as JSON unless it is a string already.
 * @throws Error when the answer is not what the API's own document says.
 */
export async function send(
  url: string,
  method: string,
  options: { key?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const headers: Record<string, string> = { ...options.headers };
  if (options.key !== undefined) headers.authorization ??= `Bearer ${options.key}`;
  let body: string | undefined;
  if (options.body !== undefined) {
    body = typeof options.body === 'string' ? options.body : JSON.stringify(options.body);
    headers['content-type'] ??= 'application/json';
  }
  const response = await fetch(url, { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  const contentType = response.headers.get('content-type');
  const json = contentType?.includes('json') === true && text !== '';
  const answer = { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  const { origin, pathname: path } = new URL(url);
  await expectDocumented({ method, origin, path, status: answer.status, headers: answer.headers, body: answer.body });
  return answer;
}

export type TestUser = Awaited<ReturnType<typeof newUser>>;

/** A user with a key and a space, and the calls that most tests need. */
export async function newUser(
  options: { plan?: 'free' | 'pro'; email?: string; apiUrl?: string; databaseUrl?: string } = {},
) {
  const running: Stack = stack();
  const apiUrl = options.apiUrl ?? running.apiUrl;
  // A pool, and not the ORM, whose import alone would cost every test file half a second.
  const pool = new Pool({ connectionString: options.databaseUrl ?? running.settings.DATABASE_URL, max: 1 });
  const { userId, key } = await createUser(pool, {
    email: options.email ?? `${randomUUID()}@example.com`,
    name: 'Test',
    plan: options.plan ?? 'pro',
  });
  await pool.end();

  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    send(`${apiUrl}${path}`, method, { key, body, ...(headers ? { headers } : {}) });
  const space = await call('POST', '/v1/spaces', { name: 'Space' });
  const spaceId: string = space.body.data.id;

  async function create(body: Record<string, unknown>): Promise<SourceResource> {
    const answer = await call('POST', `/v1/spaces/${spaceId}/sources`, { instructions: {}, ...body });
    if (answer.status !== 201) throw new Error(`create: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }
  const content = (data: string, instructions: Record<string, unknown> = {}) =>
    create({ type: 'CONTENT', initial_data: { data }, instructions });
  async function get(id: string): Promise<SourceResource & { context: { title: string | null } | null }> {
    const answer = await call('GET', `/v1/sources/${id}`);
    // A bug of ours; a part that is away answers 503.
    if (answer.status === 500) throw new NotToBeAwaited(`GET of source ${id}: 500 ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }
  const reach = (id: string, status: SourceResource['status'], withinMs?: number) =>
    until(
      `source ${id} is ${status}`,
      async () => {
        const source = await get(id);
        if (source.status === status) return source;
        throw new Error(`it is ${source.status} ${JSON.stringify(source.error)}`);
      },
      withinMs,
    );
  const markdown = async (id: string): Promise<string> =>
    (await call('GET', `/v1/sources/${id}/content`)).body.data.markdown;

  return { userId, key, apiUrl, spaceId, call, create, content, get, reach, markdown };
}

/** A path of the site that no other test uses. */
export function sitePath(name: string): string {
  return `/${name}-${randomUUID()}`;
}

/** Tells the site how to answer at a path, and returns the path's URL. */
export async function script(path: string, answers: SiteAnswer[]): Promise<string> {
  const { siteUrl } = stack();
  await fetch(`${siteUrl}/_script${path}`, { method: 'PUT', body: JSON.stringify(answers) });
  return `${siteUrl}${path}`;
}

/** What the site received at a path. */
export async function received(path: string): Promise<ReceivedRequest[]> {
  const { siteUrl } = stack();
  return (await (await fetch(`${siteUrl}/_received${path}`)).json()) as ReceivedRequest[];
}

/** Has what the site holds at a path be answered. */
export async function release(path: string): Promise<void> {
  await fetch(`${stack().siteUrl}/_release${path}`, { method: 'POST' });
}

/** Gets a grant and puts a file into storage, as a user does; returns its fileKey. */
export async function upload(
  user: Pick<TestUser, 'call'>,
  filename: string,
  contentType: string,
  bytes: Uint8Array,
): Promise<string> {
  const grant = await user.call('POST', '/v1/upload/s3', { filename, contentType, size: bytes.byteLength });
  const put = await fetch(grant.body.uploadUrl, {
    method: 'PUT',
    headers: { 'content-type': contentType },
    body: new Uint8Array(bytes),
  });
  if (!put.ok) throw new Error(`upload: ${put.status} ${await put.text()}`);
  return grant.body.fileKey;
}

export type PostbackDelivery = z.infer<typeof postbackDeliverySchema>;

/** The postbacks of a source with their attempts, the newest generation first. */
export async function deliveries(user: Pick<TestUser, 'call'>, id: string): Promise<PostbackDelivery[]> {
  return (await user.call('GET', `/v1/sources/${id}/postbacks`)).body.data;
}

/** Waits until none of a source's postbacks is pending, and returns them. */
export function settledDeliveries(
  user: Pick<TestUser, 'call'>,
  id: string,
  count = 1,
  withinMs?: number,
): Promise<PostbackDelivery[]> {
  return until(
    `${count} postbacks of ${id} are settled`,
    async () => {
      const list = await deliveries(user, id);
      if (list.length === count && list.every(({ state }) => state !== 'pending')) return list;
      throw new Error(list.map(({ generation, state }) => `${generation} ${state}`).join(', ') || 'none');
    },
    withinMs,
  );
}
