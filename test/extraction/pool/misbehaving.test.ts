/** What a document that has taken over a child can do to the worker by its channel, its streams and its memory. */
import { createExtractionPool, type ExtractionPool } from '../../../extraction/pool/pool.ts';
import { failureOf, isAlive, until } from './pool-work.ts';

const MEMORY_MB = 256;
/** Within these the pool must be itself again, well before a task's own time is over. */
const SOON_MS = 15_000;

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

function act(name: string): Promise<unknown> {
  return pool.run('artifacts', { markdown: name });
}

test.each([
  'sends no message',
  'sends an empty message',
  'sends a message that cannot be read',
  'announces 4 GiB',
  'sends something else',
  'fails without a failure',
  'fails with half a failure',
  'fails for a reason that is none',
  'is ready again',
])(
  'a child that %s is killed, its task ends file_damaged, and the next one works',
  async (name) => {
    misbehavingPool();
    expect(await act('answers')).toEqual([]);
    const [pid] = pool.pids();
    const before = process.memoryUsage().arrayBuffers;
    expect(await failureOf(act(name))).toMatchObject({ code: 'file_damaged' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
    expect(await act('answers')).toEqual([]);
    expect(pool.pids()).not.toContain(pid);
  },
  SOON_MS,
);

test.each(['answers, and then again and again', 'answers, and then takes memory'])(
  'a child that %s is killed',
  async (name) => {
    misbehavingPool();
    expect(await act(name)).toEqual([]);
    const [pid = 0] = pool.pids();
    await until(() => !isAlive(pid));
    expect(await act('answers')).toEqual([]);
  },
  SOON_MS,
);

test(
  'a child that ends, and leaves a process with its streams, is replaced',
  async () => {
    misbehavingPool('none');
    expect(await failureOf(act('ends, and leaves a process with its streams'))).toMatchObject({ code: 'file_damaged' });
    expect(await act('answers')).toEqual([]);
  },
  SOON_MS,
);
