/** A notebook -> its cells in order: texts as they are, code fenced, what came out below it. */
import type { Reading } from '../../content.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { closeFence } from '../../markdown/demote.ts';
import { fenced } from '../../markdown/write.ts';
import { fragmentToMarkdown } from '../html/fragment.ts';
import { type Notebook, type NotebookCell, type NotebookOutput, textOfData } from './schema.ts';

/** Lines of one output beyond which its middle says nothing new: logs of training runs have thousands. */
const MAX_OUTPUT_LINES = 200;

interface Told {
  images: number;
  interactive: number;
  shortened: number;
}

/** Each cell that shows something is a part. @throws SourceError `extraction_limit` */
export function notebookToMarkdown(notebook: Notebook, limits: Limits): Reading {
  const cells = notebook.cells ?? notebook.worksheets?.flatMap((sheet) => sheet.cells) ?? [];
  assertWithin(limits, 'entries', cells.length);
  const { metadata } = notebook;
  const language = languageOf(
    metadata.language_info?.name ?? metadata.kernelspec?.language ?? metadata.kernelspec?.name,
  );
  const told: Told = { images: 0, interactive: 0, shortened: 0 };
  const starts: number[] = [];
  let markdown = '';
  for (const cell of cells) {
    const text = cellMarkdown(cell, language, told, limits);
    if (text.trim() === '') continue;
    if (markdown !== '') markdown += '\n\n';
    starts.push(markdown.length);
    markdown += text;
  }
  const counted: [keyof Told, string, (count: number) => string][] = [
    [
      'images',
      'images_left_out',
      (count) => `${count} images in the notebook's cells are left out: what they show is not read.`,
    ],
    [
      'interactive',
      'interactive_outputs_left_out',
      (count) => `${count} outputs are left out: they show something only while the notebook runs.`,
    ],
    [
      'shortened',
      'outputs_shortened',
      (count) => `${count} outputs of more than ${MAX_OUTPUT_LINES} lines are cut in their middle.`,
    ],
  ];
  return {
    markdown,
    title: metadata.title?.trim() || null,
    languageHint: null,
    about: { author: metadata.authors?.map(({ name }) => name).join(', ') || null },
    ...(starts.length === 0 ? {} : { parts: { unit: 'cell', starts } }),
    warnings: counted
      .filter(([kind]) => told[kind] > 0)
      .map(([kind, code, message]) => ({ code, message: message(told[kind]) })),
  };
}

function languageOf(name: string | undefined): string {
  const language = (name ?? '')
    .toLowerCase()
    .replace(/^ir$/, 'r')
    .replace(/^(python|ipython)\d*$/, 'python');
  return /^[\w+#.-]{1,30}$/.test(language) ? language : '';
}

function cellMarkdown(cell: NotebookCell, language: string, told: Told, limits: Limits): string {
  const source = (cell.source ?? cell.input ?? '').replace(/^(?:[ \t]*\n)+/, '').trimEnd();
  switch (cell.cell_type) {
    case 'markdown':
      return closeFence(withoutAttachments(source, told));
    case 'heading':
      return `${'#'.repeat(Math.min(6, Math.max(1, cell.level ?? 1)))} ${source.replace(/\s+/g, ' ')}`;
    case 'code': {
      // "%%bash" and "%%sql" say that the cell is in another language.
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
      return [code, ...outputsMarkdown(cell.outputs, told, limits)].filter((part) => part !== '').join('\n\n');
    }
    default:
      return source === '' ? '' : fenced(source, '');
  }
}

/** Pictures that lie within the cell have no address. */
function withoutAttachments(source: string, told: Told): string {
  return source.replace(/!\[([^\]]*)\]\((?:attachment:|data:image\/)[^)]*\)/g, (_, alt: string) => {
    told.images += 1;
    return alt.trim() === '' || /^[\w-]+\.\w{3,4}$/.test(alt.trim()) ? '' : `*(image: ${alt.trim()})*`;
  });
}

function outputsMarkdown(outputs: readonly NotebookOutput[], told: Told, limits: Limits): string[] {
  const blocks: string[] = [];
  let stream = '';
  const endStream = () => {
    if (stream.trim() !== '') blocks.push(printed(stream, told));
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
      blocks.push(richOutput(output, told, limits));
    }
  }
  endStream();
  return blocks;
}

/** The representation that reads best: tables and texts over plain text, and pictures last. */
function richOutput({ data, text }: NotebookOutput, told: Told, limits: Limits): string {
  const html = textOfData(data, 'text/html');
  if (html !== null && /<(?:table|p|h[1-6]|ul|ol|a)\b/i.test(html)) {
    const converted = fragmentToMarkdown(html, null, limits);
    if (converted !== '') return converted;
  }
  const markdown = textOfData(data, 'text/markdown');
  if (markdown !== null) return closeFence(withoutAttachments(markdown, told).trim());
  const latex = textOfData(data, 'text/latex');
  if (latex !== null) return latex.trim();
  const isPicture = Object.keys(data ?? {}).some((type) => type.startsWith('image/'));
  if (isPicture) told.images += 1;
  const isWidget = Object.keys(data ?? {}).some((type) => /widget|plotly|vega|bokeh|javascript/.test(type));
  if (isWidget && !isPicture) told.interactive += 1;
  const shown = textOfData(data, 'text/plain') ?? text ?? '';
  // "<Figure size 640x480 with 1 Axes>" only says that there is a picture.
  if ((isPicture || isWidget) && /^\s*<[^>]*>\s*$/.test(shown)) return '';
  return shown.trim() === '' ? '' : printed(shown, told);
}

function printed(text: string, told: Told): string {
  const lines = plain(text).trimEnd().replace(/^\n+/, '').split('\n');
  if (lines.length <= MAX_OUTPUT_LINES) return fenced(lines.join('\n'), 'text');
  told.shortened += 1;
  const half = MAX_OUTPUT_LINES / 2;
  const left = lines.length - MAX_OUTPUT_LINES;
  return fenced([...lines.slice(0, half), `... (${left} lines)`, ...lines.slice(-half)].join('\n'), 'text');
}

const escapeCharacter = '\u001b';
const colour = new RegExp(`${escapeCharacter}\\[[0-9;?]*[A-Za-z]`, 'g');

/** Without colours, and of lines that a progress bar overwrote only what stayed. */
function plain(text: string): string {
  return text
    .replace(colour, '')
    .split('\n')
    .map((line) => line.slice(line.trimEnd().lastIndexOf('\r') + 1))
    .join('\n');
}
