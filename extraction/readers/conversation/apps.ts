/** Exports of further chat applications, and message formats of libraries and newer APIs. */
import { z } from 'zod';
import { fenced } from '../../markdown/write.ts';
import type { MessageList } from './message-lists.ts';
import { callText, contentSchema, partSchema, textOfContent } from './parts.ts';
import { speakerName, type Turn } from './turns.ts';

const title = z.string().nullish().catch(undefined);

/** LibreChat. */
const sentMessages = z.looseObject({
  title,
  messages: z.array(z.looseObject({ sender: z.string(), text: z.string(), isCreatedByUser: z.boolean() })).min(1),
});

/** Grok: one of its conversations. */
const responses = z.looseObject({
  conversation: z.looseObject({ title }),
  responses: z.array(z.looseObject({ response: z.looseObject({ message: z.string(), sender: z.string() }) })).min(1),
});

/** DeepSeek: a tree of messages, each a list of fragments. */
const fragmentTree = z.looseObject({
  title,
  mapping: z.record(
    z.string(),
    z.looseObject({
      parent: z.string().nullish(),
      children: z.array(z.string()).default([]),
      message: z
        .looseObject({ fragments: z.array(z.looseObject({ type: z.string(), content: z.string().nullish() })) })
        .nullish(),
    }),
  ),
});
const fragmentSpeakers: Readonly<Record<string, string>> = { REQUEST: 'User', RESPONSE: 'DeepSeek' };

/** LangChain: messages of its stores, and its serialization format. */
const typed = z.looseObject({ type: z.enum(['human', 'ai', 'system', 'tool', 'function']) });
const stored = typed.extend({ data: z.looseObject({ content: contentSchema }) });
const flat = typed.extend({ content: contentSchema });
const serialised = z.looseObject({
  id: z.array(z.string()).refine((id) => /^(?:Human|AI|System|Tool)Message(?:Chunk)?$/.test(id.at(-1) ?? '')),
  kwargs: z.looseObject({ content: contentSchema }),
});
const libraryMessages = z.array(z.union([stored, serialised, flat])).min(1);

/** OpenAI's Responses API: messages, calls and their outputs in one list. */
const item = z.union([
  z.looseObject({ role: z.enum(['user', 'assistant', 'system', 'developer']), content: contentSchema }),
  z.looseObject({ type: z.literal('function_call'), name: z.string(), arguments: z.unknown() }),
  z.looseObject({ type: z.literal('function_call_output'), output: z.unknown() }),
  z.looseObject({ type: z.string().regex(/^reasoning$|_call(?:_output)?$/) }),
]);
const items = z.array(item).min(1);
const exchange = z.looseObject({ input: z.union([z.string(), items]), output: items });
/** A line of a coding agent's session log. */
const logLine = z.looseObject({ payload: item });

/** One API response without its request. */
const completion = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ role: z.string(), content: contentSchema }) })).min(1),
});
const assistantMessage = z.looseObject({
  type: z.literal('message'),
  role: z.literal('assistant'),
  content: z.array(partSchema),
});

/** The list of conversations in an export that wraps it in an object; any other value unchanged. */
export function withoutEnvelope(value: unknown): unknown {
  return z.looseObject({ conversations: z.array(responses).min(1) }).safeParse(value).data?.conversations ?? value;
}

/** The turns of one conversation in a format above, or null. */
export function turnsOfApp(value: unknown): MessageList | null {
  const sent = sentMessages.safeParse(value).data;
  if (sent !== undefined) {
    const turns = sent.messages.map(({ sender, text, isCreatedByUser }) =>
      turn(isCreatedByUser ? 'user' : sender, text),
    );
    return { title: sent.title ?? null, turns };
  }
  const exported = responses.safeParse(value).data;
  if (exported !== undefined) {
    const turns = exported.responses.map(({ response }) =>
      turn(response.sender === 'human' ? 'user' : 'Grok', response.message),
    );
    return { title: exported.conversation.title ?? null, turns };
  }
  const tree = fragmentTree.safeParse(value).data;
  if (tree !== undefined) return { title: tree.title ?? null, turns: turnsOfFragments(tree.mapping) };
  const library = libraryMessages.safeParse(value).data;
  if (library !== undefined) return untitled(library.map(turnOfLibrary));
  const whole = exchange.safeParse(value).data;
  if (whole !== undefined) {
    const input = typeof whole.input === 'string' ? [turn('user', whole.input)] : whole.input.flatMap(turnsOfItem);
    return untitled([...input, ...whole.output.flatMap(turnsOfItem)]);
  }
  const list = items.safeParse(value).data ?? loggedItems(value);
  if (list?.some((entry) => 'role' in entry)) return untitled(list.flatMap(turnsOfItem));
  const choices = completion.safeParse(value).data?.choices.map(({ message }) => message);
  const single = choices ?? assistantMessage.safeParse(value).data;
  if (single !== undefined) return untitled([single].flat().flatMap(turnsOfItem));
  return null;
}

function untitled(turns: Turn[]): MessageList {
  return { title: null, turns };
}

function turn(label: string, text: string): Turn {
  return { speaker: speakerName(label), text };
}

/** From the root along the newest children. */
function turnsOfFragments(mapping: z.infer<typeof fragmentTree>['mapping']): Turn[] {
  const nodes = new Map(Object.entries(mapping));
  const turns: Turn[] = [];
  const seen = new Set<string>();
  let id = [...nodes].find(([, { parent }]) => typeof parent !== 'string' || !nodes.has(parent))?.[0];
  for (; id !== undefined && !seen.has(id); id = nodes.get(id)?.children.at(-1)) {
    seen.add(id);
    for (const { type, content } of nodes.get(id)?.message?.fragments ?? []) {
      const speaker = Object.hasOwn(fragmentSpeakers, type) ? fragmentSpeakers[type] : undefined;
      if (speaker !== undefined) turns.push({ speaker, text: content ?? '' });
    }
  }
  return turns;
}

function turnOfLibrary(message: z.infer<typeof libraryMessages>[number]): Turn {
  if ('kwargs' in message) {
    const { content } = serialised.parse(message).kwargs;
    const label = /^(\w+?)Message/.exec(serialised.parse(message).id.at(-1) ?? '')?.[1] ?? '';
    return turn(label === 'AI' ? 'assistant' : label, textOfContent(content));
  }
  const { type } = typed.parse(message);
  const content = stored.safeParse(message).data?.data.content ?? flat.safeParse(message).data?.content;
  return turn(type === 'ai' ? 'assistant' : type, textOfContent(content));
}

function turnsOfItem(entry: unknown): Turn[] {
  const message = z.looseObject({ role: z.string(), content: contentSchema }).safeParse(entry).data;
  if (message !== undefined) return [turn(message.role, textOfContent(message.content))];
  const call = z.looseObject({ type: z.literal('function_call'), name: z.string(), arguments: z.unknown() });
  const called = call.safeParse(entry).data;
  if (called !== undefined) return [turn('assistant', callText(called.name, called.arguments))];
  const output = z.looseObject({ output: z.unknown() }).safeParse(entry).data?.output;
  return output === undefined ? [] : [turn('tool', outputText(output))];
}

function outputText(output: unknown): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output, null, 2);
  return text.trim() === '' ? '' : fenced(text.trim(), 'text');
}

/** The items of a log where more than half of the lines have one; else null. */
function loggedItems(value: unknown): z.infer<typeof item>[] | null {
  if (!Array.isArray(value) || value.length < 2) return null;
  const lines = value.flatMap((line: unknown) => logLine.safeParse(line).data ?? []);
  return lines.length * 2 > value.length ? lines.map(({ payload }) => payload) : null;
}
