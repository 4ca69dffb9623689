/** The tasks of a child process. */
import type { ExtractedArtifact, ExtractedContext } from '../../contract/extraction.ts';
import type { Content, Converted } from '../content.ts';
import { convertToMarkdown } from '../convert.ts';
import { type ArtifactContent, enrichArtifact } from '../findings/artifacts/enrich/enrich-artifact.ts';
import { pageTitle } from '../findings/artifacts/enrich/page-title.ts';
import { boundLists } from '../findings/context/bound-lists.ts';
import type { Document } from '../findings/document.ts';
import { artifactsOf, findingsOf } from '../findings/findings.ts';
import { joinMembers, type Member } from '../join.ts';
import type { Limits } from '../limits.ts';
import { parserOf } from '../readers/parser.ts';

/** The tasks: pure functions of their input and the limits. Each throws SourceError for unusable content. */
export function createTasks(limits: Limits) {
  function findIn(document: Document, startedAt: number): ReadResult {
    const { context, artifacts } = findingsOf(document, limits);
    const { markdown, parser, parts } = document;
    const { warnings, ...lists } = boundLists(context);
    const reading = {
      parser,
      parts: parts === null ? null : { unit: parts.unit, count: parts.starts.length },
      warnings: [...document.warnings, ...warnings],
      milliseconds: Math.round(performance.now() - startedAt),
    };
    return { markdown, context: { ...context, ...lists, reading }, artifacts };
  }

  return {
    convert: (content: Content): Promise<Converted> => convertToMarkdown(content, limits),

    /** convert, and what is found in its Markdown. */
    read: async (content: Content): Promise<ReadResult> => {
      const startedAt = performance.now();
      return findIn(await convertToMarkdown(content, limits), startedAt);
    },

    /** The Markdown of a composition. */
    join: async (members: Member[]): Promise<string> => joinMembers(members, limits),

    /** What is found in a composition's Markdown. */
    readJoined: async (markdown: string): Promise<ReadResult> => {
      const about = { author: null, publishedAt: null, siteName: null, canonicalUrl: null };
      const empty = { title: null, languageHint: null, parts: null, turns: [], warnings: [] };
      const document = { ...empty, about, markdown, format: 'composition' as const, parser: parserOf(null) };
      return findIn(document, performance.now());
    },

    artifacts: async ({ markdown }: { markdown: string }): Promise<ExtractedArtifact[]> =>
      artifactsOf(markdown, limits),

    /** convert and artifacts in one task. */
    readArtifacts: async (content: Content): Promise<ExtractedArtifact[]> =>
      artifactsOf((await convertToMarkdown(content, limits)).markdown, limits),

    enrich: async (artifact: ArtifactContent): Promise<Record<string, unknown>> => enrichArtifact(artifact),

    pageTitle: async (page: { bytes: Uint8Array; contentType: string | null }): Promise<string | null> =>
      pageTitle(page),
  };
}

export interface ReadResult {
  markdown: string;
  context: ExtractedContext;
  /** Null where they exceed a limit: the task `artifacts` then reports that for its own stage. */
  artifacts: ExtractedArtifact[] | null;
}

export type Tasks = ReturnType<typeof createTasks>;
export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;
