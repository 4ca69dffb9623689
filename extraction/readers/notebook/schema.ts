/** The fields of Jupyter notebooks (nbformat 2 to 4) that are read. */
import { z } from 'zod';

/** Text as one string or a list of lines; older notebooks have lines without line breaks. */
const lines = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (typeof text === 'string' ? text : text.join(endOf(text))).replace(/\r\n/g, '\n'));

function endOf(list: readonly string[]): string {
  return list.some((line) => line.endsWith('\n')) ? '' : '\n';
}

const data = z.record(z.string(), z.unknown());

/** Names of nbformat 3 for media types of nbformat 4. */
const oldNames: Readonly<Record<string, string>> = {
  'text/html': 'html',
  'text/latex': 'latex',
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/svg+xml': 'svg',
  'application/javascript': 'javascript',
};

const outputSchema = z
  .looseObject({
    output_type: z.string().catch(''),
    text: lines.optional().catch(undefined),
    data: data.optional().catch(undefined),
    ename: z.string().optional().catch(undefined),
    evalue: z.string().optional().catch(undefined),
  })
  .transform((output) => {
    const old = Object.entries(oldNames).filter(([, name]) => output[name] !== undefined);
    return { ...output, data: output.data ?? Object.fromEntries(old.map(([type, name]) => [type, output[name]])) };
  });
export type NotebookOutput = z.infer<typeof outputSchema>;

const cellSchema = z.looseObject({
  cell_type: z.string(),
  source: lines.optional().catch(undefined),
  /** nbformat 3. */
  input: lines.optional().catch(undefined),
  level: z.int().optional().catch(undefined),
  language: z.string().optional().catch(undefined),
  outputs: z.array(outputSchema).catch([]),
  attachments: data.optional().catch(undefined),
});
export type NotebookCell = z.infer<typeof cellSchema>;

export const notebookSchema = z.looseObject({
  nbformat: z.number(),
  cells: z.array(cellSchema).optional(),
  worksheets: z.array(z.looseObject({ cells: z.array(cellSchema) })).optional(),
  metadata: z
    .looseObject({
      title: z.string().optional().catch(undefined),
      authors: z
        .array(z.looseObject({ name: z.string() }))
        .optional()
        .catch(undefined),
      kernelspec: z
        .looseObject({ language: z.string().optional().catch(undefined), name: z.string().optional().catch(undefined) })
        .optional()
        .catch(undefined),
      language_info: z
        .looseObject({ name: z.string().optional().catch(undefined) })
        .optional()
        .catch(undefined),
    })
    .catch({}),
});
export type Notebook = z.infer<typeof notebookSchema>;

/** The text of one media type in an output's data; null if missing. */
export function textOfData(bundle: Record<string, unknown> | undefined, type: string): string | null {
  const text = lines.safeParse(bundle?.[type]).data;
  return text === undefined || text.trim() === '' ? null : text;
}
