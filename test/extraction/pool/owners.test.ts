/** Assignment of children to owners; the rule is in extraction/pool/readers.ts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createExtractionPool, type ExtractionPool } from '../../../extraction/pool/pool.ts';
import { type ChildState, selectChild, selectChildToReplace } from '../../../extraction/pool/readers.ts';
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

/** Reads a document of `owner` and returns the pid of the child. */
async function readerOf(one: ExtractionPool, owner: string, content = note): Promise<number> {
  const { context } = await one.run('read', content, { owner });
  expect(context.title).toBe(content === note ? 'Note' : 'Report');
  // Read by the native parser, not by the fallback parser.
  if (content === report) expect(context.reading?.parser).toMatch(/^@llamaindex\/liteparse /);
  const [pid = 0] = one.pids();
  return pid;
}

test('a child whose native code has read a document is not reused for another owner', async () => {
  const one = onePool();
  const first = await readerOf(one, 'a', report);
  expect(await readerOf(one, 'a')).toBe(first);
  expect(await readerOf(one, 'a', report)).toBe(first);
  expect(await readerOf(one, 'b')).not.toBe(first);
});

test('a child whose native code has read a document is replaced when its owner is idle', async () => {
  const one = onePool();
  const first = await readerOf(one, 'a', report);
  const begun = performance.now();
  await until(() => !isAlive(first));
  expect(performance.now() - begun).toBeGreaterThan(4_000);
  expect(await readerOf(one, 'a', report)).not.toBe(first);
}, 20_000);

test('native code never reads a document in a child that has read another owner’s', async () => {
  const one = onePool();
  const first = await readerOf(one, 'a');
  const second = await readerOf(one, 'b', report);
  expect(second).not.toBe(first);
  expect(await readerOf(one, 'b', report)).toBe(second);
});

test('all owners share a child for every format that JavaScript alone reads', async () => {
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
  // The only native code in the child is the PDF parser, which requires a permit.
  const libraries = readFileSync(`/proc/${first}/maps`, 'utf8').matchAll(/\S+[.]node$/gm);
  expect([...new Set([...libraries].map(([path]) => path.replace(/^.*node_modules\/@?([^/]+)\/.*$/, '$1')))]).toEqual([
    'llamaindex',
  ]);
}, 120_000);

test('owners with PDFs alternate on one child, and each reads all its documents in one turn', async () => {
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

test('only one file imports the native parser', () => {
  const folder = join(import.meta.dirname, '../../../extraction');
  const importers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return text.includes('@llamaindex/liteparse') && !/^import type [^;]*'@llamaindex\/liteparse';$/m.test(text);
    });
  expect(importers).toEqual([join('readers', 'pdf', 'layout-parser.ts')]);
});

const fresh: ChildState = { isFree: true, owner: undefined, hasOneOwner: true, isExclusive: false, exclusiveMs: 0 };
const shared: ChildState = { ...fresh, owner: 'a', hasOneOwner: false };
const own: ChildState = { ...fresh, owner: 'a' };
const exclusive: ChildState = { ...own, isExclusive: true };

test.each([
  ['a text', { owner: 'b', needsOwnChild: false }, [fresh, own, shared, exclusive], shared],
  [
    'a text whose owner has an exclusive child',
    { owner: 'a', needsOwnChild: false },
    [fresh, shared, exclusive],
    exclusive,
  ],
  ['a PDF', { owner: 'b', needsOwnChild: true }, [exclusive, shared, own, fresh], fresh],
  ['a PDF whose owner alone has used a child', { owner: 'a', needsOwnChild: true }, [fresh, shared, own], own],
  ['a PDF with no child for it', { owner: 'b', needsOwnChild: true }, [shared, own, exclusive], undefined],
  [
    'a text with no child for it',
    { owner: 'b', needsOwnChild: false },
    [exclusive, { ...fresh, isFree: false }],
    undefined,
  ],
])('%s goes to the child that is least useful to other tasks', (_, waiting, readers, expected) => {
  expect(selectChild(readers, waiting)).toBe(expected);
});

test('a child is replaced after its owner’s turn, not during it', () => {
  const waiting = ['b', 'a'].map((owner) => ({ owner, needsOwnChild: false }));
  expect(selectChildToReplace([exclusive], waiting)).toBeUndefined();
  const over = { ...exclusive, exclusiveMs: 60_000 };
  expect(selectChildToReplace([over], waiting)).toBe(over);
  expect(selectChildToReplace([exclusive], waiting.slice(0, 1))).toBe(exclusive);
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
  // Like `object.__proto__ = ...`.
  Object.setPrototypeOf(object, Object.create(before));
  return () => Object.setPrototypeOf(object, before);
};
const parentOf = (object: object): object => Object.getPrototypeOf(object);

test.each<[string, () => () => unknown]>([
  ['a property of all objects', change(Object.prototype, 'polluted', 'by a document')],
  ['a method of arrays', change(Array.prototype, 'at', () => 'of a document')],
  ['the prototype of arrays', changeParent(Array.prototype)],
  ['the prototype of a constructor', changeParent(Map)],
  ['a new global', change(globalThis, 'polluted', 'by a document')],
  ['the value of a global', change(globalThis, 'parseInt', () => 1)],
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
  ['the prototype of asynchronous functions', changeParent(parentOf(async () => undefined))],
  ['a method of typed arrays that nobody listed', change(Float64Array.prototype, 'at', () => 0)],
  ['a member of Intl', change(Intl.NumberFormat.prototype, 'format', () => '')],
])('a change of %s by a document is detected', (_, pollute) => {
  const areUnchanged = snapshotSharedObjects();
  expect(areUnchanged()).toBe(true);
  const restore = pollute();
  try {
    expect(areUnchanged()).toBe(false);
  } finally {
    restore();
  }
});
