/** S3_PUBLIC_ENDPOINT: the address of the storage for browsers; the service itself need not reach it. */
import { parseConfig } from '../../platform/config.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { send } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';

// No server: a call of the service to it would fail.
const PUBLIC = 'https://storage.example.invalid:9443';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ settings: { S3_PUBLIC_ENDPOINT: PUBLIC } });
  await service.startWorker();
});
afterAll(() => service?.stop());

test('presigned URLs have the public endpoint, and the service makes no call to it', async () => {
  const user = await service.newUser();
  const { body } = await user.call('POST', '/v1/upload/s3', {
    filename: 'note.txt',
    contentType: 'text/plain',
    size: 12,
  });
  const upload = new URL(body.uploadUrl);
  expect(upload.origin).toBe(PUBLIC);
  expect(upload.searchParams.get('X-Amz-SignedHeaders')).toContain('host');
  expect(upload.pathname).toContain(service.settings.S3_BUCKET);

  // In place of a browser's PUT. The create reads its head; the run copies and reads it and writes results.
  const storage = createStorage(storageOptions(parseConfig(service.settings)));
  await storage.put(body.fileKey, 'Public text.', 'text/plain');
  storage.close();
  const { id } = await user.create({ type: 'FILE', initial_data: { data: body.fileKey } });
  await user.reach(id, 'COMPLETED');
  expect(await user.markdown(id)).toContain('Public text.');

  const file = await send(`${service.apiUrl}/files/${body.fileKey}`, 'GET');
  expect(file.status).toBe(302);
  expect(new URL(file.headers.get('location') ?? '').origin).toBe(PUBLIC);
});
