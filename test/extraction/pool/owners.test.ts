/** Which child reads whose documents. The rule stands in extraction/pool/readers.ts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createExtractionPool, type ExtractionPool } from '../../../extraction/pool/pool.ts';
import { type Reader, readerFor, readerToReplace } from '../../../extraction/pool/readers.ts';
import { snapshotSharedObjects } from '../../../extraction/pool/shared-objects.ts';
import { contentOf } from '../content.ts';
import { makePdf } from '../pdf-fixture.ts';
import { isAlive, until } from './pool-work.ts';

const report = contentOf(makePdf([['# Report', 'Water boils.']]));
const note = contentOf('# Note\n\nAll is well.\n');

let pool: ExtractionPool | undefined;
afterEach(async () => {
  await pool?.close();
  pool = undefined;
});

function onePool(): ExtractionPool {
  pool = createExtractionPool({ processes: 1, timeoutMs: 30_000, memoryMb: 768 });
  return pool;
}

/** The child that has read what `owner` sent. */
async function readerOf(one: ExtractionPool, owner: string, content = note): Promise<number> {
  const { context } = await one.run('read', content, { owner });
  expect(context.title).toBe(content === note ? 'Note' : 'Report');
  // The native parser read it, and not the one that reads what that cannot.
  if (content === report) expect(context.reading?.parser).toMatch(/^@llamaindex\/liteparse /);
  const [pid = 0] = one.pids();
  return pid;
}

test('a child in which native code has read a document is not handed to another owner', async () => {
  const one = onePool();
  const first = await readerOf(one, 'a', report);
  expect(await readerOf(one, 'a')).toBe(first);
  expect(await readerOf(one, 'a', report)).toBe(first);
  expect(await readerOf(one, 'b')).not.toBe(first);
});

test('a child in which native code has read a document is replaced once its owner has sent nothing for a while', async () => {
  const one = onePool();
  const first = await readerOf(one, 'a', report);
  const begun = performance.now();
  await until(() => !isAlive(first));
  expect(performance.now() - begun).toBeGreaterThan(4_000);
  expect(await readerOf(one, 'a', report)).not.toBe(first);
}, 20_000);

test('native code reads no document where another owner’s was read before', async () => {
  const one = onePool();
  const first = await readerOf(one, 'a');
  const second = await readerOf(one, 'b', report);
  expect(second).not.toBe(first);
  expect(await readerOf(one, 'b', report)).toBe(second);
});

test('what JavaScript alone reads, of every format with samples, all owners share a child for', async () => {
  const one = onePool();
  const first = await readerOf(one, 'first');
  const folder = join(import.meta.dirname, '../../samples');
  const formats = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !['make', 'pdf'].includes(entry.name))
    .map(({ name }) => name);
  expect(formats.length).toBeGreaterThan(20);
  for (const format of formats) {
    const [name = ''] = readdirSync(join(folder, format)).filter((file) => !file.endsWith('.expected.json'));
    const content = contentOf(new Uint8Array(readFileSync(join(folder, format, name))), { filename: name });
    await one.run('convert', content, { owner: `owner of ${format}` });
    expect({ format, pid: one.pids()[0] }).toEqual({ format, pid: first });
  }
  // Of native code, none but the parser that is asked for leave is there at all.
  const libraries = readFileSync(`/proc/${first}/maps`, 'utf8').matchAll(/\S+[.]node$/gm);
  expect([...new Set([...libraries].map(([path]) => path.replace(/^.*node_modules\/@?([^/]+)\/.*$/, '$1')))]).toEqual([
    'llamaindex',
  ]);
}, 120_000);

test('owners with PDFs take turns at one child, and each reads what it has within its turn', async () => {
  const one = onePool();
  const readers = new Map<string, number>();
  const order: string[] = [];
  await Promise.all(
    ['a', 'b', 'a', 'b', 'a', 'b'].map(async (owner) => {
      readers.set(owner, await readerOf(one, owner, report));
      order.push(owner);
    }),
  );
  expect(order.toSorted()).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
  expect(new Set(readers.values()).size).toBe(2);
});

test('one file calls the native parser, and asks before it does', () => {
  const folder = join(import.meta.dirname, '../../../extraction');
  const importers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return text.includes('@llamaindex/liteparse') && !/^import type [^;]*'@llamaindex\/liteparse';$/m.test(text);
    });
  expect(importers).toEqual([join('pdf', 'layout-parser.ts')]);
});

const fresh: Reader = { isFree: true, owner: undefined, hasOneOwner: true, isExclusive: false, exclusiveMs: 0 };
const shared: Reader = { ...fresh, owner: 'a', hasOneOwner: false };
const own: Reader = { ...fresh, owner: 'a' };
const exclusive: Reader = { ...own, isExclusive: true };

test.each([
  ['a text', { owner: 'b', needsOwnReader: false }, [fresh, own, shared, exclusive], shared],
  [
    'a text whose owner has an exclusive child',
    { owner: 'a', needsOwnReader: false },
    [fresh, shared, exclusive],
    exclusive,
  ],
  ['a PDF', { owner: 'b', needsOwnReader: true }, [exclusive, shared, own, fresh], fresh],
  ['a PDF whose owner alone has used a child', { owner: 'a', needsOwnReader: true }, [fresh, shared, own], own],
  ['a PDF with no child for it', { owner: 'b', needsOwnReader: true }, [shared, own, exclusive], undefined],
  [
    'a text with no child for it',
    { owner: 'b', needsOwnReader: false },
    [exclusive, { ...fresh, isFree: false }],
    undefined,
  ],
])('%s goes to the child that others need least', (_, waiting, readers, expected) => {
  expect(readerFor(readers, waiting)).toBe(expected);
});

test('a child whose owner still has its turn is not replaced, and one whose turn is over is', () => {
  const waiting = ['b', 'a'].map((owner) => ({ owner, needsOwnReader: false }));
  expect(readerToReplace([exclusive], waiting)).toBeUndefined();
  const over = { ...exclusive, exclusiveMs: 60_000 };
  expect(readerToReplace([over], waiting)).toBe(over);
  expect(readerToReplace([exclusive], waiting.slice(0, 1))).toBe(exclusive);
});

const change = (object: object, key: PropertyKey, value: unknown) => () => {
  const before = Reflect.getOwnPropertyDescriptor(object, key);
  Object.defineProperty(object, key, { value, configurable: true, writable: true });
  return () => {
    if (before === undefined) Reflect.deleteProperty(object, key);
    else Object.defineProperty(object, key, before);
  };
};
const changeParent = (object: object) => () => {
  const before: object | null = Object.getPrototypeOf(object);
  // As `object.__proto__ = ...` does.
  Object.setPrototypeOf(object, Object.create(before));
  return () => Object.setPrototypeOf(object, before);
};
const parentOf = (object: object): object => Object.getPrototypeOf(object);

test.each<[string, () => () => unknown]>([
  ['a property of all objects', change(Object.prototype, 'polluted', 'by a document')],
  ['a method of arrays', change(Array.prototype, 'at', () => 'of a document')],
  ['what arrays inherit from', changeParent(Array.prototype)],
  ['what a constructor inherits from', changeParent(Map)],
  ['a new global', change(globalThis, 'polluted', 'by a document')],
  ['another value of a global', change(globalThis, 'parseInt', () => 1)],
  ['a method of all iterators', change(parentOf(parentOf([].values())), 'map', () => [])],
  [
    'a method of all asynchronous iterators',
    change(parentOf(parentOf(parentOf((async function* () {})()))), 'next', 1),
  ],
  [
    'a property of asynchronous functions',
    change(
      parentOf(async () => undefined),
      'then',
      () => undefined,
    ),
  ],
  ['what asynchronous functions inherit from', changeParent(parentOf(async () => undefined))],
  ['a method of typed arrays that nobody listed', change(Float64Array.prototype, 'at', () => 0)],
  ['a member of Intl', change(Intl.NumberFormat.prototype, 'format', () => '')],
])('%s that a document changes is noticed', (_, pollute) => {
  const areUnchanged = snapshotSharedObjects();
  expect(areUnchanged()).toBe(true);
  const restore = pollute();
  try {
    expect(areUnchanged()).toBe(false);
  } finally {
    restore();
  }
});
