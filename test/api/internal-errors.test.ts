/** Internal errors, caused by renaming a table that the API needs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toErrorResponse } from '../../apps/api/errors.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ settings: { API_RUNS_DISPATCHER: 'false' } });
});
afterAll(() => service?.stop());

const hidden = {
  error: 'Internal Server Error',
  message: 'Something went wrong on our side. Please quote the requestId when you ask about it.',
  code: 500,
};

test('a 500 response has the request id and no internal details, in REST and tRPC', async () => {
  const user = await service.newUser();
  await service.database.pool.query('alter table collections rename to hidden_collections');
  const rest = await user.call('GET', `/v1/spaces/${user.spaceId}/collections`);
  expect({ status: rest.status, body: rest.body }).toEqual({
    status: 500,
    body: { ...hidden, requestId: rest.headers.get('x-request-id') },
  });
  const input = encodeURIComponent(JSON.stringify({ spaceId: user.spaceId }));
  const trpc = await user.call('GET', `/trpc/collections.list?input=${input}`);
  expect({ status: trpc.status, body: trpc.body }).toEqual({
    status: 500,
    body: {
      error: {
        message: hidden.message,
        code: -32603,
        data: {
          code: 'INTERNAL_SERVER_ERROR',
          httpStatus: 500,
          path: 'collections.list',
          error: { ...hidden, requestId: trpc.headers.get('x-request-id') },
        },
      },
    },
  });
  await service.database.pool.query('alter table hidden_collections rename to collections');
  // The log has the cause under that id.
  const logs = join(stack().dataFolder, service.settings.TEMPORAL_TASK_QUEUE ?? '', 'logs', 'process-1.log');
  const log = readFileSync(logs, 'utf8');
  for (const { headers } of [rest, trpc]) expect(log).toContain(headers.get('x-request-id'));
  expect(log).toContain('does not exist');
});

test.each([
  ['an error with its own statusCode', Object.assign(new Error('secret'), { statusCode: 400, status: 404 })],
  ['an error with a code that is not the framework’s', Object.assign(new Error('secret'), { code: 'FST_ERR_OTHER' })],
  ['a thrown string', 'secret'],
  ['a thrown undefined', undefined],
])('%s is a 500 without its message', (_, thrown) => {
  expect(toErrorResponse(thrown, 'id')).toEqual({ status: 500, headers: {}, body: { ...hidden, requestId: 'id' } });
});
