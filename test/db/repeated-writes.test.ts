/** Writes of runs that are repeated, concurrent with others, or many over time. */
import { randomUUID } from 'node:crypto';
import { recordJoinedMembers } from '../../db/queries/sources/composition-members.ts';
import { transaction } from '../../db/sql.ts';
import { beginGeneration } from '../../db/transitions/generations/begin-generation.ts';
import { endGeneration } from '../../db/transitions/generations/end-generation.ts';
import { recordDeliveryAttempt } from '../../db/transitions/postbacks/record-delivery-attempt.ts';
import type { TestUser } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';

let service: PrivateService;
let user: TestUser;
beforeAll(async () => {
  service = await startPrivateService({ settings: { API_RUNS_DISPATCHER: 'false' } });
  user = await service.newUser();
});
afterAll(() => service?.stop());

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows;

/** Creates a completed source without results. */
async function text(): Promise<string> {
  const { id } = await user.content('Some text.');
  await complete(id, 1);
  return id;
}
async function complete(sourceId: string, generation: number): Promise<boolean> {
  await query(
    `update source_generations set run_context_extraction = false, run_artifact_extraction = false
     where source_id = $1 and generation = $2`,
    [sourceId, generation],
  );
  const ref = { sourceId, generation };
  const ended = await transaction(service.database, (session) =>
    endGeneration(session, service.apiUrl, ref, { status: 'COMPLETED' }),
  );
  return ended !== null;
}
const compose = (data: string[]) => user.create({ type: 'COMPOSITION', initial_data: { data } });
const memberOf = async (compositionId: string) =>
  (
    await query(
      'select awaited_generation as awaited, joined_generation as joined from composition_members where composition_id = $1',
      [compositionId],
    )
  )[0];

test('a repeated begin of a generation keeps the joined generations of its members', async () => {
  const member = await text();
  const { id: sourceId } = await compose([member]);
  const { pool } = service.database;
  expect(await beginGeneration(pool, { sourceId, generation: 1 })).not.toBeNull();
  expect(await memberOf(sourceId)).toEqual({ awaited: 1, joined: null });
  await recordJoinedMembers(pool, { sourceId, generation: 1 }, [{ id: member, generation: 1 }]);
  await user.call('POST', `/v1/sources/${member}/reprocess`);
  expect(await beginGeneration(pool, { sourceId, generation: 1 })).not.toBeNull();
  expect(await memberOf(sourceId)).toEqual({ awaited: 1, joined: 1 });
  // A late begin of an ended generation keeps them too.
  await query('update source_generations set fetches = false where source_id = $1', [sourceId]);
  expect(await complete(sourceId, 1)).toBe(true);
  await user.call('POST', `/v1/sources/${sourceId}/reprocess`);
  expect(await beginGeneration(pool, { sourceId, generation: 1 })).toBeNull();
  expect(await memberOf(sourceId)).toEqual({ awaited: 1, joined: 1 });
  // The next generation waits for its members again.
  expect(await beginGeneration(pool, { sourceId, generation: 2 })).not.toBeNull();
  expect(await memberOf(sourceId)).toEqual({ awaited: 2, joined: null });
});

const PAIRS = 30;
test(`two members of the same compositions that end concurrently do not deadlock, ${PAIRS} times`, async () => {
  const [one, two] = [await text(), await text()];
  const compositions: string[] = [];
  for (let n = 0; n < 40; n += 1) {
    const { id } = await compose([one, two]);
    compositions.push(id);
  }
  // A member's rows are read in the order of insertion, which is opposite for the two members.
  await query('delete from composition_members where member_id = $1', [two]);
  for (const id of compositions.toReversed()) {
    await query(
      `insert into composition_members (composition_id, position, space_id, member_id, awaited_generation, used_generation)
       values ($1, 1, $2, $3, 1, 1)`,
      [id, user.spaceId, two],
    );
  }
  await query('update composition_members set used_generation = 1 where member_id = $1', [one]);
  const deadlocks = async () => {
    const [row] = await query(
      'select deadlocks::int from (select pg_stat_clear_snapshot()) cleared, pg_stat_database where datname = current_database()',
    );
    return row.deadlocks;
  };
  const before = await deadlocks();
  const revisions = async () =>
    (await query('select sum(revision)::int as sum from sources where type = $1', ['COMPOSITION']))[0].sum;
  const first = await revisions();
  for (let generation = 2; generation < 2 + PAIRS; generation += 1) {
    for (const id of [one, two]) await user.call('POST', `/v1/sources/${id}/reprocess`);
    const ended = await Promise.all([one, two].map((id) => complete(id, generation)));
    expect(ended).toEqual([true, true]);
  }
  // Each end raises the revision of each composition.
  expect((await revisions()) - first).toBe(2 * PAIRS * compositions.length);
  expect(await deadlocks()).toBe(before);
}, 120_000);

const KEPT = 100;
test(`the last ${KEPT} delivery attempts of a postback are kept, over all rounds`, async () => {
  const { id: sourceId } = await user.content('Some text.', { postback_url: 'https://nowhere.invalid/' });
  await complete(sourceId, 1);
  const [{ id: postbackId }] = await query('select id from postbacks where source_id = $1', [sourceId]);
  const attempt = { at: new Date(), statusCode: 500, durationMs: 1, response: null, error: null };
  const next = { state: 'pending', nextAttemptAt: new Date(), reason: null } as const;
  const made: { round: number; attempt: number }[] = [];
  for (let round = 1; round <= 14; round += 1) {
    for (let before = 0; before < 10; before += 1) {
      const delivery = { postbackId, round, before };
      expect(await recordDeliveryAttempt(service.database.pool, delivery, attempt, next)).toBe(true);
      made.push({ round, attempt: before + 1 });
    }
    await query('update postbacks set round = round + 1, attempts = 0 where id = $1', [postbackId]);
  }
  const other = { postbackId: randomUUID(), round: 1, before: 0 };
  expect(await recordDeliveryAttempt(service.database.pool, other, attempt, next)).toBe(false);
  const kept = await query('select round, attempt from postback_attempts where postback_id = $1 order by 1, 2', [
    postbackId,
  ]);
  expect(kept).toEqual(made.slice(-KEPT));
});
