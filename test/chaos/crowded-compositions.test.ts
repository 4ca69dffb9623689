import { inFlight } from '../support/in-flight.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

const COMPOSITIONS = 200;
const MEMBERS = 10;

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ settings: { WORKER_ACTIVITIES: '2', API_RUNS_DISPATCHER: 'false' } });
}, 60_000);
afterAll(() => service?.stop());

const countOf = async (condition: string): Promise<number> => {
  const { rows } = await service.database.pool.query(
    `select count(*)::int as found from sources s
     left join source_generations g on g.source_id = s.id and g.generation = s.generation
     where s.type = 'COMPOSITION' and ${condition}`,
  );
  return rows[0].found;
};

test('200 compositions that begin before their members all complete on one worker with two slots', async () => {
  const user = await service.newUser();
  const members = await Promise.all(Array.from({ length: MEMBERS }, (_, n) => user.content(`The text of ${n}.`)));
  // The members' commands become available only when every composition waits.
  await service.database.pool.query(`update outbox set available_at = 'infinity'`);
  const pairs = members.map(({ id }, n) => [id, members[(n + 1) % MEMBERS]?.id]);
  let next = 0;
  await inFlight(COMPOSITIONS, 10, async () => {
    const data = pairs[next++ % MEMBERS];
    await user.create({ type: 'COMPOSITION', initial_data: { data } });
  });
  await service.startDispatcher();
  await service.startWorker();
  await until('all compositions wait', async () => (await countOf(`g.stage = 'wait'`)) === COMPOSITIONS, 90_000);
  await service.database.pool.query('update outbox set available_at = now()');
  await until(
    'all compositions are COMPLETED',
    async () => (await countOf(`s.status = 'COMPLETED'`)) === COMPOSITIONS,
    90_000,
  );
}, 240_000);
