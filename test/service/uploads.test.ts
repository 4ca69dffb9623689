/** FILE sources whose upload changes between the create and the run. */

import { parseConfig } from '../../platform/config.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { send } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ settings: { API_RUNS_DISPATCHER: 'false' } });
});
afterAll(() => service?.stop());

test('the run uses the claimed file, or ends FAILED with upload_changed or upload_missing', async () => {
  const user = await service.newUser();
  const storage = createStorage(storageOptions(parseConfig(service.settings)));
  async function fileSource(text: string) {
    const grant = await user.call('POST', '/v1/upload/s3', {
      filename: 'note.txt',
      contentType: 'text/plain',
      size: text.length,
    });
    const { fileKey, uploadUrl } = grant.body;
    const put = (body: string) => send(uploadUrl, 'PUT', { body, headers: { 'content-type': 'text/plain' } });
    expect((await put(text)).status).toBe(200);
    const source = await user.create({ type: 'FILE', initial_data: { data: fileKey } });
    return { ...source, fileKey, put };
  }
  const [kept, changed, missing] = await Promise.all([
    fileSource('The file as it was.'),
    fileSource('The file at first..'),
    fileSource('The file that goes.'),
  ]);
  await changed.put('The file thereafter');
  await storage.deleteKeys([missing.fileKey]);
  storage.close();
  await Promise.all([service.startDispatcher(), service.startWorker()]);

  await user.reach(kept.id, 'COMPLETED');
  // A second PUT after the run does not change the stored copy.
  await kept.put('The file is another');
  await user.call('POST', `/v1/sources/${kept.id}/reprocess`);
  await user.reach(kept.id, 'COMPLETED');
  expect(await user.markdown(kept.id)).toContain('The file as it was.');

  expect((await user.reach(changed.id, 'FAILED')).error).toMatchObject({ code: 'upload_changed', stage: 'fetch' });
  expect((await user.call('POST', `/v1/sources/${changed.id}/refresh`)).status).toBe(202);
  await user.reach(changed.id, 'COMPLETED');
  expect(await user.markdown(changed.id)).toContain('The file thereafter');

  expect((await user.reach(missing.id, 'FAILED')).error).toMatchObject({ code: 'upload_missing', retryable: false });
});
