/** Jupyter notebooks (nbformat 3 and 4) as far as they are read. */
import { z } from 'zod';

/** Text as one string or a list of its lines. */
const lines = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (typeof text === 'string' ? text : text.join('')).replace(/\r\n/g, '\n'));
const data = z.record(z.string(), z.unknown());

const outputSchema = z.looseObject({
  output_type: z.string().catch(''),
  text: lines.optional().catch(undefined),
  data: data.optional().catch(undefined),
  ename: z.string().optional().catch(undefined),
  evalue: z.string().optional().catch(undefined),
});
export type NotebookOutput = z.infer<typeof outputSchema>;

const cellSchema = z.looseObject({
  cell_type: z.string(),
  source: lines.optional().catch(undefined),
  /** nbformat 3. */
  input: lines.optional().catch(undefined),
  level: z.int().optional().catch(undefined),
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

/** A text of a bundle of representations; null where it has none of that type. */
export function textOfData(bundle: Record<string, unknown> | undefined, type: string): string | null {
  const text = lines.safeParse(bundle?.[type]).data;
  return text === undefined || text.trim() === '' ? null : text;
}
