/** A child that a document has taken over attacks the worker through its channel, streams and memory. */
import { createExtractionPool, type ExtractionPool } from '../../../extraction/pool/pool.ts';
import { failureOf, isAlive, until } from './pool-work.ts';

const MEMORY_MB = 256;
/** Limit on the pool's recovery, well below the timeout of a task. */
const RECOVERY_MS = 15_000;

let pool: ExtractionPool;
afterEach(() => pool.close());

function misbehavingPool(isolation?: 'none'): void {
  pool = createExtractionPool({
    processes: 1,
    timeoutMs: 60_000,
    memoryMb: MEMORY_MB,
    recycleAfter: Number.POSITIVE_INFINITY,
    child: { module: 'test/extraction/pool/misbehaving-child.ts' },
    ...(isolation === undefined ? {} : { isolation }),
  });
}

function perform(name: string): Promise<unknown> {
  return pool.run('artifacts', { markdown: name });
}

test.each([
  'sends no message',
  'sends an empty message',
  'sends an invalid message',
  'announces 4 GiB',
  'sends an unknown message',
  'fails without a failure',
  'fails with half a failure',
  'fails with an unknown code',
  'is ready again',
])(
  'a child that %s is killed, its task ends file_damaged, and the next one works',
  async (name) => {
    misbehavingPool();
    expect(await perform('responds')).toEqual([]);
    const [pid] = pool.pids();
    const before = process.memoryUsage().arrayBuffers;
    expect(await failureOf(perform(name))).toMatchObject({ code: 'file_damaged' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
    expect(await perform('responds')).toEqual([]);
    expect(pool.pids()).not.toContain(pid);
  },
  RECOVERY_MS,
);

test.each(['responds repeatedly', 'responds and then allocates memory'])(
  'a child that %s is killed',
  async (name) => {
    misbehavingPool();
    expect(await perform(name)).toEqual([]);
    const [pid = 0] = pool.pids();
    await until(() => !isAlive(pid));
    expect(await perform('responds')).toEqual([]);
  },
  RECOVERY_MS,
);

test(
  'a child that exits and leaves a process with its streams is replaced',
  async () => {
    misbehavingPool('none');
    expect(await failureOf(perform('exits and leaves a process with its streams'))).toMatchObject({
      code: 'file_damaged',
    });
    expect(await perform('responds')).toEqual([]);
  },
  RECOVERY_MS,
);
