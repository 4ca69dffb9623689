/** The parts of a message, in the shapes of the providers' APIs and exports -> Markdown. */
import { z } from 'zod';
import { fenced } from '../../markdown/write.ts';

export const partSchema = z.union([
  z.string(),
  z.looseObject({ text: z.string() }),
  z.looseObject({ type: z.string() }),
  z.looseObject({ content_type: z.string() }),
  z.looseObject({ functionCall: z.looseObject({ name: z.string() }) }),
  z.looseObject({ functionResponse: z.looseObject({ name: z.string() }) }),
  z.looseObject({ inlineData: z.looseObject({ mimeType: z.string() }) }),
  z.looseObject({ fileData: z.looseObject({ mimeType: z.string() }) }),
  z.null(),
]);
export const contentSchema = z.union([z.string(), z.array(partSchema), z.null()]);
export type Part = z.infer<typeof partSchema>;
type Content = z.infer<typeof contentSchema>;

/** Text of a message, with placeholders for images, files and calls. */
export function textOfContent(content: Content | undefined): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  return content
    .map(textOfPart)
    .filter((text) => text.trim() !== '')
    .join('\n\n');
}

const kindSchema = z.looseObject({
  type: z.string().optional().catch(undefined),
  content_type: z.string().optional().catch(undefined),
});
const callSchema = z.looseObject({ name: z.string(), input: z.unknown() });
const resultSchema = z.looseObject({ content: z.unknown().optional(), output: z.unknown().optional() });

function textOfPart(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string') return part;
  // The reasoning of a model is not part of its message.
  if ('thought' in part && part.thought === true) return '';
  const { type, content_type } = kindSchema.parse(part);
  const kind = type ?? content_type ?? '';
  if (/^(?:thinking|redacted_thinking|reasoning|thoughts|token_budget)$/.test(kind)) return '';
  if ('text' in part && typeof part.text === 'string') return part.text;
  if (kind === 'refusal' && 'refusal' in part && typeof part.refusal === 'string') return part.refusal;
  if (kind === 'tool_use' || kind === 'server_tool_use') {
    const call = callSchema.safeParse(part).data;
    return call === undefined ? '' : callText(call.name, call.input);
  }
  if (/tool_result$/.test(kind)) {
    const { content } = resultSchema.parse(part);
    const inner = contentSchema.safeParse(content).data;
    const text = textOfContent(inner);
    return text.trim() === '' ? '' : fenced(text.trim(), 'text');
  }
  if ('functionCall' in part) return callOf(part.functionCall, 'args');
  if ('functionResponse' in part) return callOf(part.functionResponse, 'response');
  if ('inlineData' in part || 'fileData' in part) return '*(file)*';
  return /image/.test(kind)
    ? '*(image)*'
    : /audio/.test(kind)
      ? '*(audio)*'
      : /file|document|video/.test(kind)
        ? '*(file)*'
        : '';
}

function callOf(call: unknown, key: 'args' | 'response'): string {
  const { name, ...rest } = z.looseObject({ name: z.string() }).parse(call);
  return callText(name, rest[key]);
}

/**
 * A tool call with its input as JSON, or as text where it is not JSON. Input of several lines is put below the JSON.
 */
export function callText(name: string, input: unknown): string {
  const parsed = typeof input === 'string' ? jsonOf(input) : input;
  const label = `*(tool: ${name.replace(/[*`\s]+|(?<![a-z0-9])_+|_+(?![a-z0-9])/gi, ' ').trim()})*`;
  if (parsed === undefined || parsed === null) return label;
  if (typeof parsed === 'string') return parsed.trim() === '' ? label : `${label}\n\n${fenced(parsed.trim(), 'text')}`;
  const entries = Object.entries(parsed);
  const long = Array.isArray(parsed) ? [] : entries.filter(([, entry]) => isLong(entry));
  const short = long.length === 0 ? parsed : Object.fromEntries(entries.filter(([, entry]) => !isLong(entry)));
  const shown = Object.keys(short).length === 0 ? [] : [fenced(JSON.stringify(short, null, 2), 'json')];
  return [label, ...shown, ...long.map(([, entry]) => fenced(String(entry).trim(), 'text'))].join('\n\n');
}

/** True for text of several lines, such as a program, which is unreadable with escaped line breaks. */
function isLong(entry: unknown): boolean {
  return typeof entry === 'string' && entry.trim().includes('\n');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** "*(file: plan.pdf)*" for each name. */
export function fileNames(names: readonly (string | null | undefined)[]): string {
  return names
    .map((name) => name?.replace(/\s+/g, ' ').trim() ?? '')
    .filter((name) => name !== '')
    .map((name) => `*(file: ${name.replace(/[*`]/g, '')})*`)
    .join('\n\n');
}
