/** S3_PUBLIC_ENDPOINT: the address of the storage as browsers see it, which the service itself may not reach. */
import { parseConfig } from '../../platform/config.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { send } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';

// Nobody answers there: a call of the service to it would fail.
const PUBLIC = 'https://storage.example.invalid:9443';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ settings: { S3_PUBLIC_ENDPOINT: PUBLIC } });
  await service.startWorker();
});
afterAll(() => service?.stop());

test('signed addresses carry the public endpoint, and no call of the service goes there', async () => {
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

  // What a browser would put there; the create looks at it, the run copies and reads it and writes its results.
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
