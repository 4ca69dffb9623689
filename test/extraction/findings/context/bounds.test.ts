/** The size of a context is bounded for any number and length of headings. */

import { writeContextFile } from '../../../../contract/context-file.ts';
import { contextSchema, type ExtractedContext } from '../../../../contract/extraction.ts';
import { defaultLimits } from '../../../../extraction/limits.ts';
import { createTasks } from '../../../../extraction/pool/tasks.ts';
import { contentOf } from '../../content.ts';

const MOST = 5_000;
const { read } = createTasks(defaultLimits);

async function contextOf(text: string, known: Parameters<typeof contentOf>[1] = {}) {
  const { markdown, context } = await read(contentOf(text, known));
  expect(contextSchema.parse(context)).toEqual(context);
  return { markdown, context };
}

const codes = ({ reading }: ExtractedContext) => reading?.warnings.map(({ code }) => code);

/** Maximum size of the headings line on each page of chunks. */
const turnsAndParts = ({ turns, parts }: ExtractedContext) => writeContextFile({ chunks: [], turns, parts }).byteLength;

test('the outline has the first 5,000 headings and the total count', async () => {
  const text = '# a\n\n'.repeat(MOST + 1);
  const { markdown, context } = await contextOf(text, { filename: 'a.md' });
  expect(context.outline).toHaveLength(MOST);
  expect(context.outline.at(-1)?.position.startLine).toBe(2 * MOST - 1);
  expect(context.reading?.warnings).toEqual([
    { code: 'outline_cut', message: 'Of 5001 headings, `outline` has the first 5000.' },
  ]);
  expect(markdown.match(/^# a$/gm)).toHaveLength(MOST + 1);
  const few = await contextOf(text.slice(5), { filename: 'a.md' });
  expect([few.context.outline.length, codes(few.context)]).toEqual([MOST, []]);
});

test('a chunk beyond the outline still has its own headings', async () => {
  const text = `${'# a\n\n'.repeat(MOST)}# Last\n\n## Deep\n\n${'word '.repeat(900)}\n\n${'word '.repeat(900)}`;
  const { context } = await contextOf(text, { filename: 'a.md' });
  expect(context.chunks.at(-1)?.headings).toEqual(['Last', 'Deep']);
});

test('a title has at most 300 characters wherever it is copied; the Markdown keeps it whole', async () => {
  const long = '😀'.repeat(25_000);
  const text = `# ${long}\n\n${Array.from({ length: 20 }, () => 'word '.repeat(400)).join('\n\n')}\n`;
  const { markdown, context } = await contextOf(text, { filename: 'a.md' });
  const cut = `${'😀'.repeat(299)}…`;
  expect(markdown).toContain(long);
  expect(context.title).toBe(cut);
  expect(context.outline.map(({ title }) => title)).toEqual([cut]);
  const headings = new Set(context.chunks.flatMap((chunk) => chunk.headings));
  expect([...headings]).toEqual([cut]);
});

test('the first 5,000 turns of a conversation are listed, with truncated names', async () => {
  const said = Array.from({ length: MOST + 2 }, (_, at) => ({ role: at % 2 ? 'assistant' : 'user', content: `${at}` }));
  const { context } = await contextOf(JSON.stringify({ messages: said }));
  expect(context.format).toBe('conversation');
  expect(context.turns).toHaveLength(MOST);
  expect(codes(context)).toEqual(['outline_cut', 'turns_cut']);
  const named = ['user', 'a'.repeat(50_000)].map((role) => ({ role, content: 'Words.' }));
  const { context: strange } = await contextOf(JSON.stringify({ messages: named }));
  for (const { speaker } of strange.turns) expect(speaker.length).toBeLessThanOrEqual(300);
  expect(strange.turns.length + strange.outline.length).toBeGreaterThan(0);
});

test('the first 5,000 parts of a document are listed', async () => {
  const cells = Array.from({ length: MOST + 1 }, () => ({ cell_type: 'markdown', metadata: {}, source: 'a' }));
  const notebook = JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
  const { context } = await contextOf(notebook, { filename: 'a.ipynb' });
  expect(context.reading?.parts).toEqual({ unit: 'cell', count: MOST + 1 });
  expect(context.parts).toHaveLength(MOST);
  expect(codes(context)).toEqual(['parts_cut']);
  expect(turnsAndParts(context)).toBeLessThan(1024 * 1024);
});
