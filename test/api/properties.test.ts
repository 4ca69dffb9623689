/**
 * Property tests: any input is returned as it was sent or is a 400 that names its field, never a 5xx. A failure prints
 * the seed and the smallest failing input.
 */
import fc from 'fast-check';
import { type ApiResponse, newUser, type TestUser } from '../support/client.ts';
import { until } from '../support/until.ts';

let user: TestUser;
beforeAll(async () => {
  user = await newUser();
});

/** Any UTF-16 text: graphemes, code points and single code units. */
const anyText = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength }),
    fc.string({ unit: 'binary', maxLength }),
    fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength }),
    fc.tuple(fc.string({ maxLength }), fc.constantFrom('\0', '\ud800', '\udc00')).map((parts) => parts.join('')),
  );

function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Whether a JSON value can be stored unchanged: its texts and names can, and no name is `__proto__`. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (Array.isArray(value)) return value.every(isStorable);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => key !== '__proto__' && isStorableText(key) && isStorable(item));
}

function codePoints(text: string): number {
  return [...text].length;
}

/** Expects a 400 that names this field or one inside of it. */
function expectRejected({ status, body }: ApiResponse, field: string): void {
  expect({ status, body }).toMatchObject({ status: 400, body: { error: 'Bad Request', code: 400 } });
  const fields = body.details.map((detail: { field: string }) => detail.field);
  expect(fields.filter((name: string) => name === field || name.startsWith(`${field}.`))).not.toEqual([]);
}

const asSent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('names and descriptions of spaces are stored (names trimmed) or rejected by field', async () => {
  const description = fc.oneof(anyText(60), fc.constantFrom('a'.repeat(10_000), '\u{1F600}'.repeat(10_001)));
  const name = fc.oneof(
    anyText(30),
    fc.constantFrom('a'.repeat(200), '\u{1F600}'.repeat(200), 'a'.repeat(201), '\u2003'),
  );
  await fc.assert(
    fc.asyncProperty(name, description, async (name, description) => {
      const response = await user.call('POST', '/v1/spaces', { name, description });
      const length = codePoints(name.trim());
      const goodName = isStorableText(name) && length >= 1 && length <= 200;
      const goodDescription = isStorableText(description) && codePoints(description) <= 10_000;
      // Texts that cannot be stored are rejected before lengths are checked.
      const storable = isStorableText(name) && isStorableText(description);
      if (!goodName && (storable || !isStorableText(name))) expectRejected(response, 'name');
      if (!goodDescription && (storable || !isStorableText(description))) expectRejected(response, 'description');
      if (!goodName || !goodDescription) return;
      expect(response.status).toBe(201);
      const { body } = await user.call('GET', `/v1/spaces/${response.body.data.id}`);
      expect(body.data).toMatchObject({ name: name.trim(), description });
    }),
    { numRuns: 80 },
  );
});

const initialData = (data: string) => ({ type: 'CONTENT', initial_data: { data } });

test('texts, metadata and instructions of sources are stored or rejected by field', async () => {
  const metadata = fc.dictionary(
    anyText(12),
    fc.oneof(anyText(40), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()),
    { maxKeys: 5 },
  );
  const instructions = fc.dictionary(anyText(12), fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), { maxKeys: 4 });
  const made: string[] = [];
  await fc.assert(
    fc.asyncProperty(anyText(300), metadata, instructions, async (text, metadata, instructions) => {
      const response = await user.call('POST', `/v1/spaces/${user.spaceId}/sources`, {
        ...initialData(text),
        metadata,
        instructions,
      });
      const fields = { initial_data: { data: text }, metadata, instructions };
      const bad = Object.entries(fields).filter(([, value]) => !isStorable(value));
      for (const [field] of bad) expectRejected(response, field);
      if (text === '' && bad.length === 0) expectRejected(response, 'initial_data.data');
      if (text === '' || bad.length > 0) return;
      expect({ status: response.status, body: response.body.details }).toEqual({ status: 201, body: undefined });
      made.push(response.body.data.id);
      const { body } = await user.call('GET', `/v1/sources/${response.body.data.id}`);
      expect(body.data).toMatchObject({ initial_data: { data: text } });
      expect({ metadata: body.data.metadata, instructions: body.data.instructions }).toEqual(
        asSent({ metadata, instructions }),
      );
    }),
    { numRuns: 60 },
  );
  // For every text the run ends, as COMPLETED or with content_empty.
  const ended = await until('every run has ended', async () => {
    const { body } = await user.call('GET', `/v1/spaces/${user.spaceId}/sources?limit=100`);
    const sources: { id: string; status: string; error: { code: string } | null }[] = body.data;
    const mine = sources.filter(({ id }) => made.includes(id));
    return mine.every(({ status }) => ['COMPLETED', 'FAILED'].includes(status)) && mine;
  });
  expect(ended.filter(({ error }) => error !== null && error.code !== 'content_empty')).toEqual([]);
});

type Node = { id: string; name: string; parentId: string | null; children: Node[] };

/** Id and parent of every node of a tree; expects parentId to match the node's position. */
function parentsIn(nodes: Node[], parentId: string | null = null): [string, string | null][] {
  return nodes.flatMap((node) => {
    expect(node.parentId).toBe(parentId);
    return [[node.id, parentId] satisfies [string, string | null], ...parentsIn(node.children, node.id)];
  });
}

test('the tree of collections matches a model after random creates, moves and deletes', async () => {
  const step = fc.record({
    action: fc.constantFrom('create', 'create', 'create', 'move', 'delete'),
    which: fc.nat(50),
    parent: fc.option(fc.nat(50)),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      const space = await user.call('POST', '/v1/spaces', { name: 'Tree' });
      const collections = `/v1/spaces/${space.body.data.id}/collections`;
      const parents = new Map<string, string | null>();
      const pick = (n: number | null) => (n === null ? null : ([...parents.keys()][n % parents.size] ?? null));
      const below = (id: string, top: string): boolean => {
        for (let at: string | null = id; at !== null; at = parents.get(at) ?? null) if (at === top) return true;
        return false;
      };
      for (const { action, which, parent } of steps) {
        const id = pick(which);
        const parentId = pick(parent);
        if (action === 'create' || id === null) {
          const { status, body } = await user.call('POST', collections, { name: `C${which}`, parentId });
          expect(status).toBe(201);
          parents.set(body.data.id, parentId);
        } else if (action === 'move') {
          const response = await user.call('PATCH', `/v1/collections/${id}`, { parentId });
          if (parentId !== null && below(parentId, id)) expectRejected(response, 'parentId');
          else {
            expect(response.status).toBe(200);
            parents.set(id, parentId);
          }
        } else {
          expect((await user.call('DELETE', `/v1/collections/${id}`)).status).toBe(204);
          for (const gone of [...parents.keys()].filter((other) => below(other, id))) parents.delete(gone);
        }
      }
      const { body } = await user.call('GET', collections);
      expect(parentsIn(body.data).sort()).toEqual([...parents].sort());
    }),
    { numRuns: 12 },
  );
});

test('pages of any size show the whole list, and mangled cursors are 200 or 400', async () => {
  const owner = await newUser();
  await Promise.all(Array.from({ length: 11 }, (_, n) => owner.call('POST', '/v1/spaces', { name: `S${n}` })));
  const { body } = await owner.call('GET', '/v1/spaces');
  const all: string[] = body.data.map(({ id }: { id: string }) => id);
  const real: string = (await owner.call('GET', '/v1/spaces?limit=3')).body.nextCursor;

  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }), async (sizes) => {
      const seen: string[] = [];
      for (let cursor: string | null = '', n = 0; cursor !== null; n += 1) {
        const at = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const page: ApiResponse = await owner.call('GET', `/v1/spaces?limit=${sizes[n % sizes.length]}${at}`);
        seen.push(...page.body.data.map(({ id }: { id: string }) => id));
        cursor = page.body.nextCursor;
      }
      expect(seen).toEqual(all);
    }),
    { numRuns: 10 },
  );

  const [list] = JSON.parse(Buffer.from(real, 'base64url').toString('utf8'));
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const position = fc.oneof(
    fc.jsonValue(),
    fc.tuple(
      fc.oneof(
        fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
        fc.string(),
      ),
      fc.uuid(),
    ),
  );
  const mangled = fc.oneof(
    anyText(80).filter((text) => text !== ''),
    fc
      .tuple(fc.nat(real.length), fc.string({ maxLength: 3 }))
      .map(([at, put]) => real.slice(0, at) + put + real.slice(at + 1)),
    position.map((value) => encoded([list, value])),
    fc.jsonValue().map(encoded),
  );
  await fc.assert(
    fc.asyncProperty(mangled, async (cursor) => {
      const response = await owner.call('GET', `/v1/spaces?${new URLSearchParams({ cursor })}`);
      // Some mangled cursors are valid positions: the page begins there.
      if (response.status !== 200) expectRejected(response, 'cursor');
      else for (const { id } of response.body.data) expect(all).toContain(id);
    }),
    { numRuns: 120 },
  );
});

test('the filter q matches literally in any case, and random filters are 200 or 400 by field', async () => {
  const names = ['100 % sure', 'under_score', 'back\\slash', "quote's", 'plain text', 'Ünïcode ß', '(a|b)*'];
  const owner = await newUser();
  for (const name of names) await owner.create({ ...initialData('a'), name });
  const sources = `/v1/spaces/${owner.spaceId}/sources`;
  const part = fc
    .constantFrom(...names)
    .chain((name) => fc.tuple(fc.constant(name), fc.nat(name.length - 1), fc.integer({ min: 1, max: 6 })))
    .map(([name, from, length]) => name.slice(from, from + length))
    .filter((text) => text.trim() !== '');
  await fc.assert(
    fc.asyncProperty(part, async (q) => {
      const { status, body } = await owner.call('GET', `${sources}?${new URLSearchParams({ q })}`);
      expect(status).toBe(200);
      const found = body.data.map(({ name }: { name: string }) => name).sort();
      const expected = names.filter((name) => name.toLowerCase().includes(q.toLowerCase()));
      expect(found).toEqual(expected.toSorted());
    }),
    { numRuns: 40 },
  );
  const filter = fc.tuple(
    fc.constantFrom('status', 'type', 'pinned', 'collectionId', 'externalId', 'q', 'deleted', 'limit', 'cursor'),
    anyText(20),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(filter, { minLength: 1, maxLength: 3 }), async (filters) => {
      const response = await owner.call('GET', `${sources}?${new URLSearchParams(filters)}`);
      if (response.status === 200) return;
      expect(response.status).toBe(400);
      const sentNames = new Set(filters.map(([name]) => name));
      for (const { field } of response.body.details) expect([...sentNames]).toContain(field.split('.')[0]);
    }),
    { numRuns: 100 },
  );
});
