/** HTTP client of tests: plain requests with the API key of a new user. */
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type { z } from 'zod';
import type { postbackDeliverySchema, SourceResource } from '../../contract/resources.ts';
import { createUser } from '../../db/transitions/users/create-user.ts';
import { expectDocumented } from './document.ts';
import type { ReceivedRequest, SiteResponse } from './site.ts';
import { type Stack, stack } from './stack.ts';
import { FinalError, until } from './until.ts';

export interface ApiResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape.
  body: any;
}

/**
 * Sends a request. `body` is sent as JSON unless it is a string.
 * @throws Error when the response contradicts the API's OpenAPI document.
 */
export async function send(
  url: string,
  method: string,
  options: { key?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<ApiResponse> {
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
  const result = { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  const { origin, pathname: path } = new URL(url);
  await expectDocumented({ method, origin, path, ...result });
  return result;
}

export type TestUser = Awaited<ReturnType<typeof newUser>>;

/** Creates a user with an API key and a space. Returns the calls that most tests need. */
export async function newUser(
  options: { plan?: 'free' | 'pro'; email?: string; apiUrl?: string; databaseUrl?: string } = {},
) {
  const running: Stack = stack();
  const apiUrl = options.apiUrl ?? running.apiUrl;
  // Not the ORM: its import alone takes half a second in every test file.
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
    const response = await call('POST', `/v1/spaces/${spaceId}/sources`, { instructions: {}, ...body });
    if (response.status !== 201) throw new Error(`create: ${response.status} ${JSON.stringify(response.body)}`);
    return response.body.data;
  }
  const content = (data: string, instructions: Record<string, unknown> = {}) =>
    create({ type: 'CONTENT', initial_data: { data }, instructions });
  async function get(id: string): Promise<SourceResource & { context: { title: string | null } | null }> {
    const response = await call('GET', `/v1/sources/${id}`);
    // A bug: a dependency that is down causes 503, not 500.
    if (response.status === 500) throw new FinalError(`GET of source ${id}: 500 ${JSON.stringify(response.body)}`);
    return response.body.data;
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

/** Returns a unique path on the test site. */
export function sitePath(name: string): string {
  return `/${name}-${randomUUID()}`;
}

/** Sets the responses of the test site at a path. Returns the path's URL. */
export async function script(path: string, responses: SiteResponse[]): Promise<string> {
  const { siteUrl } = stack();
  await fetch(`${siteUrl}/_script${path}`, { method: 'PUT', body: JSON.stringify(responses) });
  return `${siteUrl}${path}`;
}

/** Returns the requests that the test site received at a path. */
export async function received(path: string): Promise<ReceivedRequest[]> {
  const { siteUrl } = stack();
  return (await (await fetch(`${siteUrl}/_received${path}`)).json()) as ReceivedRequest[];
}

/** Sends the responses that the test site holds back at a path (`held`). */
export async function release(path: string): Promise<void> {
  await fetch(`${stack().siteUrl}/_release${path}`, { method: 'POST' });
}

/** Uploads a file through a presigned URL. Returns its fileKey. */
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

/** Returns the postbacks of a source with their attempts, the newest generation first. */
export async function deliveries(user: Pick<TestUser, 'call'>, id: string): Promise<PostbackDelivery[]> {
  return (await user.call('GET', `/v1/sources/${id}/postbacks`)).body.data;
}

/** Waits until a source has `count` postbacks and none is pending. Returns them. */
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
