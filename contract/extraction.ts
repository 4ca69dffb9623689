/**
 * What extraction makes of a source's content: shapes shared by the extraction itself, the objects in S3 and the API.
 * Every offset counts UTF-16 code units of the Markdown, as JavaScript's `slice` does; `end` is exclusive.
 */
import { z } from 'zod';

/** Where in the Markdown something stands: offsets, and lines counted from 1. */
export const positionSchema = z.object({
  start: z.int().min(0).describe('In UTF-16 code units of the Markdown.'),
  end: z.int().min(0).describe('In UTF-16 code units of the Markdown, exclusive.'),
  startLine: z.int().min(1),
  endLine: z.int().min(1),
});
export type Position = z.infer<typeof positionSchema>;

export const outlineEntrySchema = z.object({
  depth: z.int().min(1).max(6),
  title: z.string(),
  position: positionSchema,
});

export const statisticsSchema = z.object({
  characters: z.int().describe('Unicode code points of the Markdown.'),
  words: z.int(),
  sentences: z.int(),
  tokens: z.int().describe('As the o200k_base encoding counts them.'),
  chunks: z.int(),
  readingSeconds: z.int().describe('At 230 words a minute.'),
});

export const chunkSchema = z.object({
  index: z.int().min(0),
  headings: z.array(z.string()).describe('Titles of the headings above the chunk, outermost first.'),
  text: z.string(),
  tokens: z.int(),
  position: positionSchema,
});
export type Chunk = z.infer<typeof chunkSchema>;

/** The context without its chunks: what a single get of a source shows. */
export const contextSummarySchema = z.object({
  title: z.string().nullable(),
  language: z.string().nullable().describe('ISO 639-1; null where the text is too short or too mixed to tell.'),
  format: z
    .enum(['text', 'conversation', 'markdown', 'html', 'pdf', 'json', 'composition'])
    .describe('What the content was read as.'),
  outline: z.array(outlineEntrySchema),
  statistics: statisticsSchema,
});
export type ContextSummary = z.infer<typeof contextSummarySchema>;

export const contextSchema = contextSummarySchema.extend({ chunks: z.array(chunkSchema) });
export type ExtractedContext = z.infer<typeof contextSchema>;

export const artifactKinds = [
  'code',
  'command',
  'table',
  'link',
  'image',
  'diagram',
  'formula',
  'task',
  'decision',
  'question',
  'requirement',
] as const;

/** An artifact as extraction finds it: without ids, and before it is matched with those of earlier generations. */
export const extractedArtifactSchema = z.object({
  kind: z.enum(artifactKinds),
  title: z.string(),
  content: z.string(),
  /** Programming language of code, as its fence names it (lower case), else null. */
  language: z.string().nullable(),
  position: positionSchema,
  /** SHA-256 (hex) of the normalised content: what makes two artifacts of a kind equal. */
  contentHash: z.string(),
  /** Counts equal artifacts of one source from 0, in order of position. */
  ordinal: z.int().min(0),
  metadata: z.record(z.string(), z.unknown()),
});
export type ExtractedArtifact = z.infer<typeof extractedArtifactSchema>;
export const extractedArtifactsSchema = z.array(extractedArtifactSchema);
