/** What a child process can be asked to do: the one list that the pool and its children share. */
import type { ExtractedArtifact, ExtractedContext } from '../contract/extraction.ts';
import { type ArtifactContent, enrichArtifact } from './artifacts/enrich/enrich-artifact.ts';
import { pageTitle } from './artifacts/enrich/page-title.ts';
import { extractArtifacts } from './artifacts/extract-artifacts.ts';
import type { Content, Converted } from './content.ts';
import { extractContext } from './context/extract-context.ts';
import { convertToMarkdown } from './convert.ts';

type MarkdownInput = Omit<Converted, 'format'> & { format: ExtractedContext['format'] };

/** Pure functions of their input; each throws SourceError for what is wrong with the content. */
export const tasks = {
  convert: (content: Content): Promise<Converted> => convertToMarkdown(content),

  context: async ({ markdown, ...options }: MarkdownInput): Promise<ExtractedContext> =>
    extractContext(markdown, options),

  artifacts: async ({ markdown }: { markdown: string }): Promise<ExtractedArtifact[]> => extractArtifacts(markdown),

  /** convert, then context, in one trip. */
  read: async (content: Content): Promise<{ markdown: string; context: ExtractedContext }> => {
    const { markdown, ...options } = await convertToMarkdown(content);
    return { markdown, context: extractContext(markdown, options) };
  },

  /** convert, then artifacts, in one trip. */
  readArtifacts: async (content: Content): Promise<ExtractedArtifact[]> =>
    extractArtifacts((await convertToMarkdown(content)).markdown),

  enrich: async (artifact: ArtifactContent): Promise<Record<string, unknown>> => enrichArtifact(artifact),

  pageTitle: async (page: { bytes: Uint8Array; contentType: string | null }): Promise<string | null> => pageTitle(page),
};

export type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

/** True for the name of a task. */
export function isTaskName(name: string): name is TaskName {
  return Object.hasOwn(tasks, name);
}
