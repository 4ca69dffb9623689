/**
 * Results of extraction: shapes shared by the extraction, the objects in S3 and the API.
 * Every offset counts UTF-16 code units of the Markdown, as JavaScript's `slice` does; `end` is exclusive.
 */
import { z } from 'zod';

/** A position in the Markdown: offsets, and line numbers from 1. */
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

/** Kinds of the blocks of a chunk. */
export const blockKinds = ['text', 'heading', 'list', 'quote', 'code', 'table', 'html'] as const;
export type BlockKind = (typeof blockKinds)[number];

export const chunkSchema = z.object({
  index: z.int().min(0),
  headings: z
    .array(z.string())
    .describe('Titles of the headings above the chunk, outermost first, each up to 300 characters.'),
  opening: z
    .string()
    .nullable()
    .default(null)
    .describe('Where the text begins inside a fence or a table: the line of the fence, or the lines of the header.'),
  text: z.string().describe('The exact slice of the Markdown.'),
  tokens: z.int().describe('Of `opening` and `text`.'),
  kinds: z
    .array(z.enum(blockKinds))
    .default([])
    .describe('Kinds of its blocks; `heading` alone, where it has no other.'),
  parts: z
    .object({ first: z.int().min(1), last: z.int().min(1) })
    .nullable()
    .default(null)
    .describe('The first and the last part (page, slide, ...) that it has text of.'),
  speakers: z.array(z.string()).default([]).describe('Of a conversation: whose turns it has text of, at most 20.'),
  position: positionSchema,
});
export type Chunk = z.infer<typeof chunkSchema>;

/** Formats of content. */
export const contentFormats = [
  'text',
  'markdown',
  'conversation',
  'html',
  'pdf',
  'docx',
  'pptx',
  'xlsx',
  'xls',
  'odt',
  'ods',
  'odp',
  'rtf',
  'epub',
  'eml',
  'csv',
  'tsv',
  'json',
  'yaml',
  'xml',
  'rss',
  'atom',
  'ipynb',
  'srt',
  'vtt',
  'code',
  'image',
] as const;
export type ContentFormat = (typeof contentFormats)[number];

/** Metadata of a document, beside its title and language. */
export const documentAboutSchema = z.object({
  author: z.string().nullable(),
  publishedAt: z
    .string()
    .nullable()
    .describe('ISO 8601: a date, or a time with its offset where the document has one.'),
  siteName: z.string().nullable(),
  canonicalUrl: z.string().nullable(),
});
export type DocumentAbout = z.infer<typeof documentAboutSchema>;

export const partUnits = ['page', 'slide', 'sheet', 'chapter', 'cell', 'entry', 'message', 'member'] as const;
export type PartUnit = (typeof partUnits)[number];

export const readingWarningSchema = z.object({
  code: z.string().describe('The kind of content that was left out or guessed, like `images_without_text`.'),
  message: z.string().describe('What was left out or guessed, how much of it, and why.'),
});
export type ReadingWarning = z.infer<typeof readingWarningSchema>;

/** How the content was read: parser, parts, warnings and duration. */
export const readingSchema = z.object({
  parser: z.string().describe('Name and version of the parser.'),
  parts: z
    .object({ unit: z.enum(partUnits), count: z.int() })
    .nullable()
    .describe('Pages, slides, sheets and the like; null for formats without parts.'),
  warnings: z.array(readingWarningSchema),
  milliseconds: z.int().describe('From the bytes to the context.'),
});

/** The context without its chunks, turns and parts, as in a response with one source. */
export const contextSummarySchema = z.object({
  title: z.string().nullable(),
  language: z.string().nullable().describe('ISO 639-1; null for a text that is too short or too mixed.'),
  format: z.enum([...contentFormats, 'composition']).describe('The format of the content.'),
  about: documentAboutSchema.nullable().default(null),
  outline: z
    .array(outlineEntrySchema)
    .describe('The first 5,000 headings, each with up to 300 characters of its title.'),
  statistics: statisticsSchema,
  reading: readingSchema.nullable().default(null).describe('Null in results of versions that did not record it.'),
});
export type ContextSummary = z.infer<typeof contextSummarySchema>;

export const turnRoles = ['user', 'assistant', 'system', 'tool'] as const;
export type TurnRole = (typeof turnRoles)[number];

export const turnSchema = z.object({
  role: z.enum(turnRoles),
  speaker: z.string().describe('The name of the speaker in the Markdown.'),
  position: positionSchema.describe('Of the heading and the text of the turn.'),
});

export const partSchema = z.object({
  number: z.int().min(1),
  position: positionSchema.describe('From the start of the part to the start of the next one.'),
});

export const contextSchema = contextSummarySchema.extend({
  chunks: z.array(chunkSchema),
  turns: z.array(turnSchema).default([]).describe('The first 5,000 turns of a conversation, in order.'),
  parts: z
    .array(partSchema)
    .default([])
    .describe('The first 5,000 parts; `reading.parts.unit` is their unit (page, slide, sheet, ...).'),
});
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

/** An artifact as extraction finds it: without an id, and before it is matched with those of earlier generations. */
export const extractedArtifactSchema = z.object({
  kind: z.enum(artifactKinds),
  title: z.string(),
  content: z.string(),
  /** Programming language of code, as its fence names it (lower case), else null. */
  language: z.string().nullable(),
  position: positionSchema,
  /** SHA-256 (hex) of the normalised content: artifacts of one kind with the same hash are equal. */
  contentHash: z.string(),
  /** Counts equal artifacts of one source from 0, in order of position. */
  ordinal: z.int().min(0),
  metadata: z.record(z.string(), z.unknown()),
});
export type ExtractedArtifact = z.infer<typeof extractedArtifactSchema>;
export const extractedArtifactsSchema = z.array(extractedArtifactSchema);
