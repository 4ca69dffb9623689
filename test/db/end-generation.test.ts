/** The steps of the end of a generation, tested separately; test/service tests them together. */
import { randomUUID } from 'node:crypto';
import { postbackSchema } from '../../contract/postback.ts';
import { transaction } from '../../db/sql.ts';
import { replaceArtifacts } from '../../db/transitions/artifacts/replace-artifacts.ts';
import { endGeneration } from '../../db/transitions/generations/end-generation.ts';
import { insertPostback } from '../../db/transitions/postbacks/insert-postback.ts';
import { recordUsedMembers, updateCompositions } from '../../db/transitions/sources/update-compositions.ts';
import type { TestUser } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';

let service: PrivateService;
let user: TestUser;
beforeAll(async () => {
  // Without a worker only the tests end generations.
  service = await startPrivateService({ settings: { API_RUNS_DISPATCHER: 'false' } });
  user = await service.newUser();
});
afterAll(() => service?.stop());

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape.
async function rows(text: string, values: unknown[] = []): Promise<any[]> {
  return (await service.database.pool.query(text, values)).rows;
}
const end = (sourceId: string, status: 'COMPLETED' | 'CANCELED', generation = 1) =>
  transaction(service.database, (session) =>
    endGeneration(session, service.apiUrl, { sourceId, generation }, { status }),
  );
/** Lets the generations of a source complete without results. */
async function needNothing(sourceId: string): Promise<void> {
  await rows(
    `update source_generations set run_context_extraction = false, run_artifact_extraction = false, fetches = false
     where source_id = $1`,
    [sourceId],
  );
}

const artifact = (content: string, title = content) => ({
  kind: 'code',
  title,
  content,
  language: 'sql',
  position: { start: 0, end: 9, startLine: 1, endLine: 1 },
  contentHash: content.padEnd(64, '0'),
  ordinal: 0,
  metadata: {},
});

test('artifacts are replaced by identity: equal ones keep their id, missing ones are removed', async () => {
  const { id } = await user.content('Some words.');
  const replace = (...found: object[]) =>
    transaction(service.database, (session) =>
      replaceArtifacts(session, { id, spaceId: user.spaceId }, JSON.stringify(found)),
    );
  const stored = () => rows('select id, content, title from artifacts where source_id = $1 order by content', [id]);
  await replace(artifact('a'), artifact('b'));
  const [a, b] = await stored();
  await replace(artifact('b', 'Renamed'), artifact('c'));
  expect(await stored()).toEqual([
    { id: b.id, content: 'b', title: 'Renamed' },
    { id: expect.not.stringMatching(a.id), content: 'c', title: 'c' },
  ]);
  await replace();
  expect(await stored()).toEqual([]);
});

test('the stored body of a postback fits its schema, whatever the metadata holds', async () => {
  const metadata = { large: 1e300, small: -0.1, quote: '"\\', 'a key': true };
  const instructions = { postback_url: 'https://example.com/hook' };
  const { id } = await user.create({ type: 'CONTENT', initial_data: { data: 'A.' }, instructions, metadata });
  expect(await end(id, 'CANCELED')).toEqual({ owes: true });
  const [stored] = await rows('select body, state, url from postbacks where source_id = $1', [id]);
  expect(stored).toMatchObject({ state: 'pending', url: 'https://example.com/hook' });
  const { type, timestamp, data } = postbackSchema.parse(JSON.parse(stored.body));
  expect(type).toBe('source.canceled');
  expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(60_000);
  expect(data).toMatchObject({ id, status: 'CANCELED', generation: 1, error: null, metadata, externalId: null });
});

test('the postback to a receiver that responded 410 is stored as disabled', async () => {
  const { id } = await user.content('B.');
  const [{ id: generationId }] = await rows('select id from source_generations where source_id = $1', [id]);
  await transaction(service.database, (session) =>
    insertPostback(session, service.apiUrl, {
      id,
      spaceId: user.spaceId,
      type: 'CONTENT',
      name: 'B',
      status: 'COMPLETED',
      generation: 1,
      error: null,
      metadata: {},
      externalId: null,
      endedAt: new Date(),
      generationId,
      url: 'https://example.com/gone',
      receiverGone: true,
    }),
  );
  expect(await rows('select state, next_attempt_at from postbacks where source_id = $1', [id])).toEqual([
    { state: 'disabled', next_attempt_at: null },
  ]);
});

test('a composition is stale after a member has a newer result, unless that result is the same', async () => {
  const member = await user.content('Member.');
  await needNothing(member.id);
  await end(member.id, 'COMPLETED');
  const composition = await user.create({ type: 'COMPOSITION', initial_data: { data: [member.id] } });
  const joined = (generation: number) =>
    rows('update composition_members set joined_generation = $2 where composition_id = $1', [
      composition.id,
      generation,
    ]);
  await joined(1);
  await transaction(service.database, (session) => recordUsedMembers(session, composition.id));
  const update = (generation: number, sameAs: number | null) =>
    transaction(service.database, (session) => updateCompositions(session, { id: member.id, generation, sameAs }));
  const revision = async () => (await user.get(composition.id)).revision;
  const used = async () =>
    (
      await rows('select used_generation as used from composition_members where composition_id = $1', [composition.id])
    )[0].used;

  const before = await revision();
  await update(2, 1);
  expect([await used(), await revision()]).toEqual([2, before]);
  await update(3, null);
  expect([await used(), await revision()]).toEqual([2, before + 1]);
});

test('a generation that has ended, or is not the current one, is not ended again', async () => {
  const { id } = await user.content('C.');
  expect(await end(id, 'CANCELED', 2)).toBeNull();
  expect(await end(id, 'CANCELED')).toEqual({ owes: false });
  expect(await end(id, 'CANCELED')).toBeNull();
  expect(await end(randomUUID(), 'CANCELED')).toBeNull();
});

test('if a step fails, no write of the end is stored', async () => {
  const { id } = await user.content('D.');
  await needNothing(id);
  // Not an artifact: the second step is rejected by its columns' constraints.
  await rows('update source_generations set found_artifacts = $2 where source_id = $1', [
    id,
    JSON.stringify([{ ...artifact('x'), kind: 'none' }]),
  ]);
  await expect(end(id, 'COMPLETED')).rejects.toThrow();
  expect(await user.get(id)).toMatchObject({ status: 'CREATED', finishedAt: null });
});
