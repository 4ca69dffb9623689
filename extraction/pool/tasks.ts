/** The tasks of a child process. */
import type { ExtractedArtifact, ExtractedContext } from '../../contract/extraction.ts';
import type { Content, Converted } from '../content.ts';
import { convertToMarkdown } from '../convert.ts';
import { type ArtifactContent, enrichArtifact } from '../findings/artifacts/enrich/enrich-artifact.ts';
import { pageTitle } from '../findings/artifacts/enrich/page-title.ts';
import { extractArtifacts } from '../findings/artifacts/extract-artifacts.ts';
import { boundLists } from '../findings/context/bound-lists.ts';
import { type Document, extractContext } from '../findings/context/extract-context.ts';
import { joinMembers, type Member } from '../join.ts';
import type { Limits } from '../limits.ts';
import { parserOf } from '../readers/parser.ts';

/** The artifacts of longer texts are found in a separate task, with its own limits of time and memory. */
const SHORT_TEXT_CHARACTERS = 8_192;

/** The tasks: pure functions of their input and the limits. Each throws SourceError for unusable content. */
export function createTasks(limits: Limits) {
  function contextOf(document: Document, startedAt: number): ExtractedContext {
    const context = extractContext(document, limits);
    const { parser, parts } = document;
    const { warnings, ...lists } = boundLists(context);
    return {
      ...context,
      ...lists,
      reading: {
        parser,
        parts: parts === null ? null : { unit: parts.unit, count: parts.starts.length },
        warnings: [...document.warnings, ...warnings],
        milliseconds: Math.round(performance.now() - startedAt),
      },
    };
  }

  /** The artifacts of a short text; null for a long one, or where they cannot be extracted. */
  function artifactsOfShortText(markdown: string): ExtractedArtifact[] | null {
    if (markdown.length > SHORT_TEXT_CHARACTERS) return null;
    try {
      return extractArtifacts(markdown, limits);
    } catch {
      // The separate task fails with the same error, which is then reported for its own stage.
      return null;
    }
  }

  return {
    convert: (content: Content): Promise<Converted> => convertToMarkdown(content, limits),

    /** convert, the context, and the artifacts of a short text in one task. */
    read: async (content: Content): Promise<ReadResult> => {
      const startedAt = performance.now();
      const document = await convertToMarkdown(content, limits);
      const context = contextOf(document, startedAt);
      return { markdown: document.markdown, context, artifacts: artifactsOfShortText(document.markdown) };
    },

    /** The Markdown of a composition. */
    join: async (members: Member[]): Promise<string> => joinMembers(members, limits),

    /** The context of a composition's Markdown. */
    joinedContext: async (markdown: string): Promise<ExtractedContext> => {
      const about = { author: null, publishedAt: null, siteName: null, canonicalUrl: null };
      const empty = { title: null, languageHint: null, parts: null, turns: [], warnings: [] };
      return contextOf({ ...empty, about, markdown, format: 'composition', parser: parserOf(null) }, performance.now());
    },

    artifacts: async ({ markdown }: { markdown: string }): Promise<ExtractedArtifact[]> =>
      extractArtifacts(markdown, limits),

    /** convert and artifacts in one task. */
    readArtifacts: async (content: Content): Promise<ExtractedArtifact[]> =>
      extractArtifacts((await convertToMarkdown(content, limits)).markdown, limits),

    enrich: async (artifact: ArtifactContent): Promise<Record<string, unknown>> => enrichArtifact(artifact),

    pageTitle: async (page: { bytes: Uint8Array; contentType: string | null }): Promise<string | null> =>
      pageTitle(page),
  };
}

export interface ReadResult {
  markdown: string;
  context: ExtractedContext;
  /** Null where the `artifacts` task has to extract them. */
  artifacts: ExtractedArtifact[] | null;
}

export type Tasks = ReturnType<typeof createTasks>;
export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;
