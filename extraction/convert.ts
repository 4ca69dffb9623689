/** Content of any readable format -> Markdown. */
import { SourceError } from '../contract/errors.ts';
import type { Content, Converted } from './content.ts';
import { decodeText } from './decode.ts';
import { detectFormat } from './detect.ts';
import { conversationFromText } from './formats/conversation.ts';
import { conversationFromJson } from './formats/conversation-json.ts';
import { charsetOfHtml, htmlToMarkdown, looksLikeHtml } from './formats/html.ts';
import { jsonToMarkdown, parseJson, parsesAsJson } from './formats/json.ts';
import { looksLikeMarkdown, markdownFromText } from './formats/markdown.ts';
import { pdfToMarkdown } from './formats/pdf.ts';
import { textToMarkdown, xmlToMarkdown } from './formats/text.ts';
import { assertMarkdownLength } from './limits.ts';

/**
 * Reads content as what it is (magic bytes, then declared media type, then file name, then looks) and returns its
 * Markdown. Throws SourceError: `content_empty`, `unsupported_format`, `file_encrypted`, `file_damaged`,
 * `extraction_limit`.
 */
export async function convertToMarkdown(content: Content): Promise<Converted> {
  if (content.bytes.length === 0) throw new SourceError('content_empty', 'The content has no bytes.');
  const converted = await convert(content);
  if (converted.markdown.trim() === '') throw new SourceError('content_empty', emptiness[converted.format]);
  const markdown = storable(converted.markdown);
  return {
    ...converted,
    title: converted.title === null ? null : storable(converted.title),
    markdown: assertMarkdownLength(`${markdown.trimEnd()}\n`),
  };
}

/** Escapes of JSON and character references of HTML can write what no UTF-8 text in a database may hold. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

const emptiness: Record<Converted['format'], string> = {
  text: 'The content is nothing but white space.',
  conversation: 'The conversation has no messages.',
  markdown: 'The document is nothing but white space.',
  html: 'The page shows no text without scripts or signing in.',
  pdf: 'The PDF has no text; it seems to hold only images.',
  json: 'The JSON holds no values.',
};

async function convert(content: Content): Promise<Converted> {
  const detected = await detectFormat(content);
  if (detected.format === 'pdf') return { format: 'pdf', ...(await pdfToMarkdown(content.bytes)) };

  const charset = detected.charset ?? (detected.format === 'html' ? charsetOfHtml(content.bytes) : null);
  const text = decodeText(content.bytes, charset);
  if (text.trim() === '') throw new SourceError('content_empty', emptiness.text);
  switch (detected.format) {
    case 'html':
      return { format: 'html', ...htmlToMarkdown(text, content.url) };
    case 'json':
      return convertJson(parseJson(text));
    case 'xml':
      return { format: 'text', ...xmlToMarkdown(text) };
    case 'markdown': {
      const conversation = conversationFromText(text);
      if (conversation !== null) return { format: 'conversation', ...conversation };
      return { format: 'markdown', ...markdownFromText(text) };
    }
    case 'plain':
      return convertPlain(text, content.url);
  }
}

function convertJson(value: unknown): Converted {
  const conversation = conversationFromJson(value);
  if (conversation !== null) return { format: 'conversation', ...conversation };
  return { format: 'json', ...jsonToMarkdown(value) };
}

function convertPlain(text: string, url: string | null): Converted {
  if (parsesAsJson(text)) return convertJson(parseJson(text));
  if (looksLikeHtml(text)) return { format: 'html', ...htmlToMarkdown(text, url) };
  const conversation = conversationFromText(text);
  if (conversation !== null) return { format: 'conversation', ...conversation };
  if (looksLikeMarkdown(text)) return { format: 'markdown', ...markdownFromText(text) };
  return { format: 'text', ...textToMarkdown(text) };
}
