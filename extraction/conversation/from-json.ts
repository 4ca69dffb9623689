/**
 * Exported conversations as JSON: message lists (`[{role, content}]`, `{messages}`), ChatGPT's export (`mapping`, a
 * tree of which one branch is shown) and Claude's (`chat_messages`).
 */
import { z } from 'zod';
import type { Reading, TurnStart } from '../content.ts';
import { speakerName, type Turn, turnsToMarkdown } from './turns.ts';

const partSchema = z.union([
  z.string(),
  z.looseObject({ text: z.string() }),
  z.looseObject({ type: z.string() }),
  z.null(),
]);
const contentSchema = z.union([z.string(), z.array(partSchema), z.null()]);

const messageSchema = z.looseObject({ role: z.string(), content: contentSchema.optional() });
const messagesSchema = z.array(messageSchema).min(1);
const listExport = z.looseObject({ messages: messagesSchema, title: z.string().optional() });

const chatgptNode = z.looseObject({
  parent: z.string().nullish(),
  children: z.array(z.string()).default([]),
  message: z
    .looseObject({
      author: z.looseObject({ role: z.string() }),
      content: z.looseObject({ parts: z.array(partSchema).optional(), text: z.string().optional() }).optional(),
      metadata: z.looseObject({ is_visually_hidden_from_conversation: z.boolean().optional() }).nullish(),
    })
    .nullish(),
});
const chatgptExport = z.looseObject({
  title: z.string().nullish(),
  mapping: z.record(z.string(), chatgptNode),
  current_node: z.string().nullish(),
});
type ChatgptNode = z.infer<typeof chatgptNode>;

const claudeExport = z.looseObject({
  name: z.string().nullish(),
  chat_messages: z.array(
    z.looseObject({ sender: z.string(), text: z.string().default(''), content: z.array(partSchema).optional() }),
  ),
});

/** The conversation, or the conversations of a whole export, as Markdown; null for JSON that is none. */
export function conversationFromJson(value: unknown): Reading | null {
  const single = oneConversation(value);
  if (single !== null) return single;
  if (!Array.isArray(value) || value.length === 0) return null;
  const results = value.map((entry: unknown) => oneConversation(entry));
  if (results.some((result) => result === null)) return null;
  const parts = results.flatMap((result) => (result === null || result.markdown === '' ? [] : [result]));
  if (parts.length <= 1) return parts[0] ?? { markdown: '', title: null, languageHint: null };
  let markdown = '';
  const turns: TurnStart[] = [];
  for (const [index, { title, ...part }] of parts.entries()) {
    if (index > 0) markdown += '\n\n';
    // Each is a section; one that has no title of its own gets a number.
    if (title === null) markdown += `# Conversation ${index + 1}\n\n`;
    const offset = markdown.length;
    turns.push(...(part.turns ?? []).map((turn) => ({ ...turn, start: turn.start + offset })));
    markdown += part.markdown;
  }
  return { markdown, title: null, languageHint: null, turns };
}

function oneConversation(value: unknown): Reading | null {
  const list = messagesSchema.safeParse(value);
  if (list.success) return turnsToMarkdown(list.data.map(turnOfMessage), null);
  const wrapped = listExport.safeParse(value);
  if (wrapped.success) return turnsToMarkdown(wrapped.data.messages.map(turnOfMessage), titled(wrapped.data.title));
  const chatgpt = chatgptExport.safeParse(value);
  if (chatgpt.success) return turnsToMarkdown(chatgptTurns(chatgpt.data), titled(chatgpt.data.title));
  const claude = claudeExport.safeParse(value);
  if (claude.success) {
    const turns = claude.data.chat_messages.map(({ sender, text, content }) => ({
      speaker: sender === 'assistant' ? 'Claude' : speakerName(sender),
      text: content === undefined ? text : textOfParts(content) || text,
    }));
    return turnsToMarkdown(turns, titled(claude.data.name));
  }
  return null;
}

function titled(title: string | null | undefined): string | null {
  const text = title?.replace(/\s+/g, ' ').trim() ?? '';
  return text === '' ? null : text;
}

function turnOfMessage({ role, content }: z.infer<typeof messageSchema>): Turn {
  return { speaker: speakerName(role), text: typeof content === 'string' ? content : textOfParts(content ?? []) };
}

/** Texts of a message; what else it holds (images, files, calls) is named, so that a reader knows of it. */
function textOfParts(parts: z.infer<typeof partSchema>[]): string {
  return parts
    .map((part) => {
      if (part === null) return '';
      if (typeof part === 'string') return part;
      if ('text' in part && typeof part.text === 'string') return part.text;
      const kind = typeof part.type === 'string' ? part.type : '';
      return /image/.test(kind) ? '*(image)*' : /file|document/.test(kind) ? '*(file)*' : '';
    })
    .filter((text) => text.trim() !== '')
    .join('\n\n');
}

/** The messages from the root to the node that was shown last; without one, along the newest children. */
function chatgptTurns({ mapping, current_node }: z.infer<typeof chatgptExport>): Turn[] {
  const nodes = new Map(Object.entries(mapping));
  const path: ChatgptNode[] = [];
  const seen = new Set<string>();
  const walk = (start: string | null | undefined, next: (node: ChatgptNode) => string | null | undefined) => {
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
  return path.flatMap(({ message }) => {
    const role = message?.author.role;
    if (message === null || message === undefined || (role !== 'user' && role !== 'assistant')) return [];
    if (message.metadata?.is_visually_hidden_from_conversation === true) return [];
    const text = textOfParts(message.content?.parts ?? []) || (message.content?.text ?? '');
    return [{ speaker: role === 'user' ? 'User' : 'ChatGPT', text }];
  });
}
