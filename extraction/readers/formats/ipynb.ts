/** Jupyter notebooks -> their cells in order. */
import { SourceError } from '../../../contract/errors.ts';
import { notebookToMarkdown } from '../notebook/markdown.ts';
import { notebookSchema } from '../notebook/schema.ts';
import type { TextFormat } from './format.ts';

export const ipynb: TextFormat = {
  kind: 'text',
  name: 'ipynb',
  label: 'a Jupyter notebook',
  mediaTypes: ['application/x-ipynb+json'],
  extensions: ['ipynb'],
  parser: null,
  emptyMessage: 'The notebook has no cells with text.',
  detect({ text, json }) {
    if (!text.includes('"nbformat"')) return null;
    const notebook = notebookSchema.safeParse(json()).data;
    return notebook?.cells === undefined && notebook?.worksheets === undefined ? null : 'sure';
  },
  read({ json }, limits) {
    const notebook = notebookSchema.safeParse(json());
    if (!notebook.success) {
      throw new SourceError('file_damaged', 'The notebook is damaged or incomplete: it has no cells.', {
        cause: notebook.error,
      });
    }
    return notebookToMarkdown(notebook.data, limits);
  },
};
