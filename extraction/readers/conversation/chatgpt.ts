/** ChatGPT's export: a tree of messages, of which the branch shown last is read. */
import { z } from 'zod';
import { fenced } from '../../markdown/write.ts';
import { callText, fileNames, partSchema, textOfContent } from './parts.ts';
import type { Turn } from './turns.ts';

const contentSchema = z.looseObject({
  content_type: z.string().optional().catch(undefined),
  parts: z.array(partSchema).optional().catch(undefined),
  text: z.string().optional().catch(undefined),
  result: z.string().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  url: z.string().optional().catch(undefined),
  language: z.string().optional().catch(undefined),
});
const nodeSchema = z.looseObject({
  parent: z.string().nullish(),
  children: z.array(z.string()).default([]),
  message: z
    .looseObject({
      author: z.looseObject({ role: z.string(), name: z.string().nullish() }),
      content: contentSchema.optional(),
      recipient: z.string().nullish(),
      metadata: z
        .looseObject({
          is_visually_hidden_from_conversation: z.boolean().optional().catch(undefined),
          is_user_system_message: z.boolean().optional().catch(undefined),
          attachments: z
            .array(z.looseObject({ name: z.string().optional().catch(undefined) }))
            .optional()
            .catch(undefined),
        })
        .nullish(),
    })
    .nullish(),
});
export const chatgptExport = z.looseObject({
  title: z.string().nullish(),
  mapping: z.record(z.string(), nodeSchema),
  current_node: z.string().nullish(),
  create_time: z.number().nullish().catch(undefined),
});
type Node = z.infer<typeof nodeSchema>;
type Message = NonNullable<Node['message']>;

/** The messages from the root to `current_node`; without it, along the newest children. */
export function chatgptTurns({ mapping, current_node }: z.infer<typeof chatgptExport>): Turn[] {
  const nodes = new Map(Object.entries(mapping));
  const path: Node[] = [];
  const seen = new Set<string>();
  const walk = (start: string | null | undefined, next: (node: Node) => string | null | undefined) => {
    for (let id = start; typeof id === 'string' && !seen.has(id); ) {
      seen.add(id);
      const node = nodes.get(id);
      if (node === undefined) return;
      path.push(node);
      id = next(node);
    }
  };
  if (typeof current_node === 'string' && nodes.has(current_node)) {
    walk(current_node, (node) => node.parent);
    path.reverse();
  } else {
    const root = [...nodes].find(([, node]) => typeof node.parent !== 'string' || !nodes.has(node.parent));
    walk(root?.[0], (node) => node.children.at(-1));
  }
  return path.flatMap(({ message }) => (message === null || message === undefined ? [] : turnsOf(message)));
}

const speakers: Readonly<Record<string, string>> = { user: 'User', assistant: 'ChatGPT', tool: 'Tool' };

function turnsOf(message: Message): Turn[] {
  const { author, content, metadata, recipient } = message;
  const speaker = Object.hasOwn(speakers, author.role) ? speakers[author.role] : undefined;
  // System messages are the same in every chat and were not shown.
  if (speaker === undefined || metadata?.is_visually_hidden_from_conversation === true) return [];
  const isCall = author.role === 'assistant' && typeof recipient === 'string' && recipient !== 'all';
  const text = isCall ? callOf(recipient, content) : textOf(content, author.role === 'tool');
  const files = fileNames((metadata?.attachments ?? []).map(({ name }) => name));
  return [{ speaker, text: [files, withoutCitations(text)].filter((part) => part.trim() !== '').join('\n\n') }];
}

/** A call of the Python interpreter as code; a call of another tool with its input. */
function callOf(recipient: string, content: Message['content']): string {
  const text = textOfContent(content?.parts) || (content?.text ?? '');
  if (recipient === 'python' || recipient.startsWith('python.'))
    return text.trim() === '' ? '' : fenced(text.trim(), 'python');
  return text.trim() === '' ? '' : callText(recipient, text);
}

function textOf(content: Message['content'], isTool: boolean): string {
  switch (content?.content_type) {
    case 'thoughts':
    case 'reasoning_recap':
    case 'user_editable_context':
    case 'model_editable_context':
      return '';
    case 'code':
      return fenced(
        (content.text ?? '').trim(),
        /^(?:unknown|)$/.test(content.language ?? '') ? '' : (content.language ?? ''),
      );
    case 'execution_output':
    case 'system_error':
      return (content.text ?? '').trim() === '' ? '' : fenced((content.text ?? '').trim(), 'text');
    case 'tether_browsing_display':
      return content.result ?? '';
    case 'tether_quote': {
      const source =
        content.url === undefined ? (content.title ?? '') : `[${content.title ?? content.url}](<${content.url}>)`;
      return [source, (content.text ?? '').replace(/^/gm, '> ')].filter((part) => part.trim() !== '').join('\n\n');
    }
    default: {
      const text = textOfContent(content?.parts) || (content?.text ?? '');
      const isData = isTool && /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text);
      return isData ? fenced(text.trim(), 'json') : text;
    }
  }
}

/** Removes citations, which the web page shows as small links: "【4†source】" and text in private-use characters. */
function withoutCitations(text: string): string {
  return text.replace(/【\d+(?::\d+)?†[^】]{0,200}】/g, '').replace(/\ue200[^\ue200\ue201]{0,500}\ue201/g, '');
}
