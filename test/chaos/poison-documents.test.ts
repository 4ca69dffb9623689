/** Documents that hang or exhaust memory fail alone. */
import { deflateSync } from 'node:zlib';
import { pdfOfStreams, pdfStream } from '../extraction/pdf-fixture.ts';
import { script, sitePath, type TestUser, upload } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

const LIMIT_SECONDS = 4;
/** Takes far longer to read than the time limit: 4.9 MB of loose list items. */
const endless = { headers: { 'content-type': 'text/markdown' }, body: '- a b c\n\n'.repeat(550_000) };
/** A PDF of less than 1 MB that inflates to some 86 MB. */
const line = 'BT /F1 11 Tf 72 700 Td (Hello world) Tj ET\n';
const bomb = pdfOfStreams([pdfStream(deflateSync(Buffer.from(line.repeat(2_000_000))), '/Filter /FlateDecode')]);

let service: PrivateService;
let owner: TestUser;
let other: TestUser;
beforeAll(async () => {
  service = await startPrivateService({
    settings: {
      EXTRACTION_PROCESSES: '1',
      EXTRACTION_TIMEOUT_SECONDS: String(LIMIT_SECONDS),
      EXTRACTION_MEMORY_MB: '600',
    },
  });
  await service.startWorker();
  [owner, other] = await Promise.all([service.newUser(), service.newUser()]);
}, 60_000);
afterAll(() => service?.stop());

async function hanging() {
  return owner.create({ type: 'URI', initial_data: { data: await script(sitePath('endless'), [endless]) } });
}
async function exhaustingMemory() {
  const data = await upload(owner, 'bomb.pdf', 'application/pdf', bomb);
  return owner.create({ type: 'FILE', initial_data: { data } });
}
const isRead = (id: string) => until(`${id} is read`, async () => (await owner.get(id)).progress?.stage === 'context');

test.each([
  ['hangs', hanging],
  ['exhausts memory', exhaustingMemory],
])('a document that %s fails alone: concurrent ones of the same and another owner complete', async (_, make) => {
  const poison = await make();
  await isRead(poison.id);
  const beside = await Promise.all([owner.content('Of the same owner.'), other.content('Of another owner.')]);
  expect((await owner.reach(poison.id, 'FAILED', 60_000)).error?.code).toMatch(/^extraction_(timeout|memory)$/);
  await owner.reach(beside[0].id, 'COMPLETED');
  await other.reach(beside[1].id, 'COMPLETED');
});

test("twenty hanging documents delay another owner's source by at most two of them per stage", async () => {
  const poisons = await Promise.all(Array.from({ length: 20 }, hanging));
  await Promise.any(poisons.map(({ id }) => isRead(id)));
  const ended = async (): Promise<number> => {
    const all = await Promise.all(poisons.map((poison) => owner.get(poison.id)));
    return all.filter(({ status }) => status === 'FAILED').length;
  };
  const before = await ended();
  const started = performance.now();
  const { id } = await other.content('A single one.');
  await other.reach(id, 'COMPLETED', 90_000);
  const passed = (await ended()) - before;
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(`${passed} of twenty hanging documents ended before the other source did, after ${seconds} s`);
  // Context and artifacts each wait for one document to free a slot and for one to free the child.
  expect(passed).toBeLessThanOrEqual(4);
  await Promise.all(poisons.map((poison) => owner.call('POST', `/v1/sources/${poison.id}/cancel`)));
}, 180_000);
