/** A notebook -> its cells in order: texts as they are, code fenced, what came out below it. */
import type { Reading } from '../../content.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { closeFence } from '../../markdown/demote.ts';
import { fenced } from '../../markdown/write.ts';
import { fragmentToMarkdown } from '../html/fragment.ts';
import { type Notebook, type NotebookCell, type NotebookOutput, textOfData } from './schema.ts';

/** The middle of an output with more lines is left out: logs of training runs have thousands. */
const MAX_OUTPUT_LINES = 200;

/** Counts for warnings. */
interface Counts {
  images: number;
  interactive: number;
  shortened: number;
}

/** The cells of a notebook; each cell that is not empty is a part. @throws SourceError `extraction_limit` */
export function notebookToMarkdown(notebook: Notebook, limits: Limits): Reading {
  const cells = notebook.cells ?? notebook.worksheets?.flatMap((sheet) => sheet.cells) ?? [];
  assertWithin(limits, 'entries', cells.length);
  const { metadata } = notebook;
  const language = languageOf(
    metadata.language_info?.name ?? metadata.kernelspec?.language ?? metadata.kernelspec?.name,
  );
  const counts: Counts = { images: 0, interactive: 0, shortened: 0 };
  const starts: number[] = [];
  let markdown = '';
  for (const cell of cells) {
    const text = cellMarkdown(cell, language, counts, limits);
    if (text.trim() === '') continue;
    if (markdown !== '') markdown += '\n\n';
    starts.push(markdown.length);
    markdown += text;
  }
  const messages: [keyof Counts, string, (count: number) => string][] = [
    ['images', 'images_left_out', (count) => `Left out: ${count} images in the notebook's cells.`],
    [
      'interactive',
      'interactive_outputs_left_out',
      (count) => `Left out: ${count} interactive outputs, which only work while the notebook runs.`,
    ],
    [
      'shortened',
      'outputs_shortened',
      (count) => `Shortened in the middle: ${count} outputs of more than ${MAX_OUTPUT_LINES} lines.`,
    ],
  ];
  return {
    markdown,
    title: metadata.title?.trim() || null,
    languageHint: null,
    about: { author: metadata.authors?.map(({ name }) => name).join(', ') || null },
    ...(starts.length === 0 ? {} : { parts: { unit: 'cell', starts } }),
    warnings: messages
      .filter(([kind]) => counts[kind] > 0)
      .map(([kind, code, message]) => ({ code, message: message(counts[kind]) })),
  };
}

function languageOf(name: string | undefined): string {
  const language = (name ?? '')
    .toLowerCase()
    .replace(/^ir$/, 'r')
    .replace(/^(python|ipython)\d*$/, 'python');
  return /^[\w+#.-]{1,30}$/.test(language) ? language : '';
}

function cellMarkdown(cell: NotebookCell, language: string, counts: Counts, limits: Limits): string {
  const source = (cell.source ?? cell.input ?? '').replace(/^(?:[ \t]*\n)+/, '').trimEnd();
  switch (cell.cell_type) {
    case 'markdown':
      return closeFence(withoutAttachments(source, counts));
    case 'heading':
      return `${'#'.repeat(Math.min(6, Math.max(1, cell.level ?? 1)))} ${source.replace(/\s+/g, ' ')}`;
    case 'code': {
      // "%%bash" and "%%sql" declare that the cell is in another language.
      const magic = /^%%(bash|sh|sql|html|javascript|js|latex|perl|ruby|R|markdown|writefile\s+\S+\.(\w+))/.exec(
        source,
      );
      const code =
        source === ''
          ? ''
          : fenced(
              source,
              magic === null ? language || languageOf(cell.language) : (magic[2] ?? magic[1] ?? '').toLowerCase(),
            );
      return [code, ...outputsMarkdown(cell.outputs, counts, limits)].filter((part) => part !== '').join('\n\n');
    }
    default:
      return source === '' ? '' : fenced(source, '');
  }
}

/** Removes images attached to the cell, which have no URL. */
function withoutAttachments(source: string, counts: Counts): string {
  return source.replace(/!\[([^\]]*)\]\((?:attachment:|data:image\/)[^)]*\)/g, (_, alt: string) => {
    counts.images += 1;
    return alt.trim() === '' || /^[\w-]+\.\w{3,4}$/.test(alt.trim()) ? '' : `*(image: ${alt.trim()})*`;
  });
}

function outputsMarkdown(outputs: readonly NotebookOutput[], counts: Counts, limits: Limits): string[] {
  const blocks: string[] = [];
  let stream = '';
  const endStream = () => {
    if (stream.trim() !== '') blocks.push(printed(stream, counts));
    stream = '';
  };
  for (const output of outputs) {
    if (output.output_type === 'stream') {
      stream += output.text ?? '';
      continue;
    }
    endStream();
    if (output.output_type === 'error' || output.output_type === 'pyerr') {
      blocks.push(fenced(`${output.ename ?? 'Error'}: ${plain(output.evalue ?? '').trim()}`, 'text'));
    } else {
      blocks.push(richOutput(output, counts, limits));
    }
  }
  endStream();
  return blocks;
}

/** The best representation of an output: tables and rich text before plain text, and pictures last. */
function richOutput({ data, text }: NotebookOutput, counts: Counts, limits: Limits): string {
  const html = textOfData(data, 'text/html');
  if (html !== null && /<(?:table|p|h[1-6]|ul|ol|a)\b/i.test(html)) {
    const converted = fragmentToMarkdown(html, null, limits);
    if (converted !== '') return converted;
  }
  const markdown = textOfData(data, 'text/markdown');
  if (markdown !== null) return closeFence(withoutAttachments(markdown, counts).trim());
  const latex = textOfData(data, 'text/latex');
  if (latex !== null) return latex.trim();
  const isPicture = Object.keys(data ?? {}).some((type) => type.startsWith('image/'));
  if (isPicture) counts.images += 1;
  const isWidget = Object.keys(data ?? {}).some((type) => /widget|plotly|vega|bokeh|javascript/.test(type));
  if (isWidget && !isPicture) counts.interactive += 1;
  const shown = textOfData(data, 'text/plain') ?? text ?? '';
  // "<Figure size 640x480 with 1 Axes>" is only a placeholder of the picture.
  if ((isPicture || isWidget) && /^\s*<[^>]*>\s*$/.test(shown)) return '';
  return shown.trim() === '' ? '' : printed(shown, counts);
}

function printed(text: string, counts: Counts): string {
  const lines = plain(text).trimEnd().replace(/^\n+/, '').split('\n');
  if (lines.length <= MAX_OUTPUT_LINES) return fenced(lines.join('\n'), 'text');
  counts.shortened += 1;
  const half = MAX_OUTPUT_LINES / 2;
  const left = lines.length - MAX_OUTPUT_LINES;
  return fenced([...lines.slice(0, half), `... (${left} lines)`, ...lines.slice(-half)].join('\n'), 'text');
}

const escapeCharacter = '\u001b';
const colour = new RegExp(`${escapeCharacter}\\[[0-9;?]*[A-Za-z]`, 'g');

/** Removes terminal colours and the overwritten states of progress bars. */
function plain(text: string): string {
  return text
    .replace(colour, '')
    .split('\n')
    .map((line) => line.slice(line.trimEnd().lastIndexOf('\r') + 1))
    .join('\n');
}
