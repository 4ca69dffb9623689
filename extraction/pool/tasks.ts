/** What a child process can be asked to do: the one list that the pool and its children share. */
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

/** Longer texts have their artifacts found in a trip of its own, within its own limits of time and memory. */
const SHORT_CHARACTERS = 8_192;

/** Pure functions of their input and the limits; each throws SourceError for what is wrong with the content. */
export function createTasks(limits: Limits) {
  function contextOf(document: Document, begun: number): ExtractedContext {
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
        milliseconds: Math.round(performance.now() - begun),
      },
    };
  }

  /** Null where the text is long, or where it has to be told why they were not found. */
  function artifactsOfShort(markdown: string): ExtractedArtifact[] | null {
    if (markdown.length > SHORT_CHARACTERS) return null;
    try {
      return extractArtifacts(markdown, limits);
    } catch {
      // The trip of its own fails again, in its own stage.
      return null;
    }
  }

  return {
    convert: (content: Content): Promise<Converted> => convertToMarkdown(content, limits),

    /** convert, then its context, and the artifacts of a short text, in one trip. */
    read: async (content: Content): Promise<Read> => {
      const begun = performance.now();
      const document = await convertToMarkdown(content, limits);
      const context = contextOf(document, begun);
      return { markdown: document.markdown, context, artifacts: artifactsOfShort(document.markdown) };
    },

    /** The Markdown of a composition. */
    join: async (members: Member[]): Promise<string> => joinMembers(members, limits),

    /** The context of a composition's Markdown. */
    joinedContext: async (markdown: string): Promise<ExtractedContext> => {
      const about = { author: null, publishedAt: null, siteName: null, canonicalUrl: null };
      const nothing = { title: null, languageHint: null, parts: null, turns: [], warnings: [] };
      return contextOf(
        { ...nothing, about, markdown, format: 'composition', parser: parserOf(null) },
        performance.now(),
      );
    },

    artifacts: async ({ markdown }: { markdown: string }): Promise<ExtractedArtifact[]> =>
      extractArtifacts(markdown, limits),

    /** convert, then artifacts, in one trip. */
    readArtifacts: async (content: Content): Promise<ExtractedArtifact[]> =>
      extractArtifacts((await convertToMarkdown(content, limits)).markdown, limits),

    enrich: async (artifact: ArtifactContent): Promise<Record<string, unknown>> => enrichArtifact(artifact),

    pageTitle: async (page: { bytes: Uint8Array; contentType: string | null }): Promise<string | null> =>
      pageTitle(page),
  };
}

export interface Read {
  markdown: string;
  context: ExtractedContext;
  /** Null: they take a trip of their own. */
  artifacts: ExtractedArtifact[] | null;
}

export type Tasks = ReturnType<typeof createTasks>;
export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;
