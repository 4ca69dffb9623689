/** Claude's export: messages in order, with attachments and artifacts. */
import { z } from 'zod';
import { fenced } from '../../markdown/write.ts';
import { fileNames, partSchema, textOfContent } from './parts.ts';
import { speakerName, type Turn } from './turns.ts';

export const claudeExport = z.looseObject({
  name: z.string().nullish(),
  created_at: z.string().nullish().catch(undefined),
  chat_messages: z.array(
    z.looseObject({
      sender: z.string(),
      text: z.string().default(''),
      content: z.array(partSchema).optional(),
      attachments: z
        .array(z.looseObject({ file_name: z.string().optional(), extracted_content: z.string().optional() }))
        .optional()
        .catch(undefined),
      files: z
        .array(z.looseObject({ file_name: z.string().optional() }))
        .optional()
        .catch(undefined),
    }),
  ),
});

export function claudeTurns({ chat_messages }: z.infer<typeof claudeExport>): Turn[] {
  return chat_messages.map(({ sender, text, content, attachments = [], files = [] }) => {
    const attached = attachments.map(({ file_name, extracted_content = '' }) => {
      const name = fileNames([file_name ?? 'attachment']);
      return extracted_content.trim() === '' ? name : `${name}\n\n${fenced(extracted_content.trim(), 'text')}`;
    });
    const body = content === undefined ? text : textOfContent(content) || text;
    const parts = [fileNames(files.map(({ file_name }) => file_name)), ...attached, withArtifacts(body)];
    return {
      speaker: sender === 'assistant' ? 'Claude' : speakerName(sender),
      text: parts.filter((part) => part.trim() !== '').join('\n\n'),
    };
  });
}

const artifact = /<antArtifact\b([^>]*)>([\s\S]*?)<\/antArtifact>/g;
const kinds: Readonly<Record<string, string>> = {
  'text/html': 'html',
  'image/svg+xml': 'svg',
  'application/vnd.ant.mermaid': 'mermaid',
  'application/vnd.ant.react': 'jsx',
};

/** Replaces artifact tags by the artifact's title and its code or text. */
function withArtifacts(text: string): string {
  return text
    .replace(/<antThinking>[\s\S]*?<\/antThinking>/g, '')
    .replace(artifact, (_, attributes: string, body: string) => {
      const of = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
      const title = of('title') === '' ? '' : `**${of('title')}**\n\n`;
      const type = of('type');
      const content =
        type === 'text/markdown' ? body.trim() : fenced(body.trim(), of('language') || (kinds[type] ?? ''));
      return `\n\n${title}${content}\n\n`;
    });
}
