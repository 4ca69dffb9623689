/** Lists of messages in the formats of the APIs of OpenAI, Anthropic and Google, and of training data. */
import { z } from 'zod';
import { callText, contentSchema, partSchema, textOfContent } from './parts.ts';
import { speakerName, type Turn } from './turns.ts';

const role = z
  .string()
  .regex(/^(?:user|assistant|system|developer|tool|function|model|human|ai|bot|gpt|chatgpt|ipython)$/i);

const toolCall = z.looseObject({ function: z.looseObject({ name: z.string(), arguments: z.unknown() }) });
const messageSchema = z.looseObject({
  role,
  content: contentSchema.optional(),
  tool_calls: z.array(toolCall).nullish().catch(undefined),
});
const geminiContent = z.looseObject({ role: role.optional(), parts: z.union([z.array(partSchema), partSchema]) });
const instruction = z
  .union([z.string(), z.looseObject({ parts: z.array(partSchema) })])
  .optional()
  .catch(undefined);

const messages = z.array(messageSchema).min(1);
const contents = z.array(geminiContent).min(1);
const wrapped = z.looseObject({
  messages,
  title: z.string().optional().catch(undefined),
  system: contentSchema.optional().catch(undefined),
});
const gemini = z.looseObject({ contents, systemInstruction: instruction, system_instruction: instruction });
const studio = z.looseObject({
  chunkedPrompt: z.looseObject({
    chunks: z
      .array(z.looseObject({ role, text: z.string().optional(), isThought: z.boolean().optional().catch(undefined) }))
      .min(1),
  }),
  systemInstruction: instruction,
});
const sharegpt = z.looseObject({ conversations: z.array(z.looseObject({ from: role, value: z.string() })).min(1) });
const completion = z
  .looseObject({ prompt: z.string(), completion: z.string() })
  .refine((value) => Object.keys(value).length <= 4);
const alpaca = z.looseObject({ instruction: z.string(), input: z.string().optional(), output: z.string() });
/** A line of a coding agent's session log, with one message. */
const logged = z.looseObject({ message: messageSchema });

export interface MessageList {
  title: string | null;
  turns: Turn[];
}

/** The turns of one list of messages, bare or wrapped in an object; null for other values. */
export function turnsOfMessages(value: unknown): MessageList | null {
  const google = gemini.safeParse(value).data ?? bareContents(value);
  if (google !== null)
    return untitled([
      ...instructionTurns(google.systemInstruction ?? google.system_instruction),
      ...google.contents.map(turnOfGemini),
    ]);
  const list = messages.safeParse(value).data;
  if (list !== undefined) return untitled(list.flatMap(turnsOf));
  const inside = wrapped.safeParse(value).data;
  if (inside !== undefined) {
    return {
      title: inside.title ?? null,
      turns: [...systemTurn(textOfContent(inside.system)), ...inside.messages.flatMap(turnsOf)],
    };
  }
  const chunks = studio.safeParse(value).data;
  if (chunks !== undefined) {
    const shown = chunks.chunkedPrompt.chunks.filter(({ isThought }) => isThought !== true);
    const turns = shown.map(({ role: speaker, text = '' }) => ({ speaker: speakerName(speaker), text }));
    return untitled([...instructionTurns(chunks.systemInstruction), ...turns]);
  }
  return trainingTurns(value) ?? loggedTurns(value);
}

function untitled(turns: Turn[]): MessageList {
  return { title: null, turns };
}

function bareContents(value: unknown): z.infer<typeof gemini> | null {
  const list = contents.safeParse(value).data;
  return list?.every((content) => content.role !== undefined)
    ? { contents: list, systemInstruction: undefined, system_instruction: undefined }
    : null;
}

function turnsOf({ role: speaker, content, tool_calls }: z.infer<typeof messageSchema>): Turn[] {
  const calls = (tool_calls ?? []).map((call) => callText(call.function.name, call.function.arguments));
  const isResult = Array.isArray(content) && content.length > 0 && content.every((part) => isToolResult(part));
  const text = [textOfContent(content), ...calls].filter((part) => part.trim() !== '').join('\n\n');
  // Anthropic's API has tool results in messages of the user.
  return [{ speaker: isResult ? 'Tool' : speakerName(speaker), text }];
}

function isToolResult(part: z.infer<typeof partSchema>): boolean {
  return part !== null && typeof part === 'object' && 'type' in part && part.type === 'tool_result';
}

function turnOfGemini({ role: speaker = 'user', parts }: z.infer<typeof geminiContent>): Turn {
  const list = Array.isArray(parts) ? parts : [parts];
  const isResult =
    list.length > 0 && list.every((part) => part !== null && typeof part === 'object' && 'functionResponse' in part);
  return { speaker: isResult ? 'Tool' : speakerName(speaker), text: textOfContent(list) };
}

function instructionTurns(value: z.infer<typeof instruction>): Turn[] {
  return systemTurn(typeof value === 'string' ? value : textOfContent(value?.parts));
}

function systemTurn(text: string): Turn[] {
  return text.trim() === '' ? [] : [{ speaker: 'System', text }];
}

/** The turns of one example of a training file. */
function trainingTurns(value: unknown): MessageList | null {
  const shared = sharegpt.safeParse(value).data;
  if (shared !== undefined)
    return untitled(shared.conversations.map(({ from, value: text }) => ({ speaker: speakerName(from), text })));
  const pair = completion.safeParse(value).data;
  if (pair !== undefined) return untitled(pairOf(pair.prompt, pair.completion));
  const task = alpaca.safeParse(value).data;
  if (task === undefined) return null;
  return untitled(
    pairOf([task.instruction, task.input ?? ''].filter((part) => part.trim() !== '').join('\n\n'), task.output),
  );
}

function pairOf(prompt: string, response: string): Turn[] {
  return [
    { speaker: 'User', text: prompt },
    { speaker: 'Assistant', text: response },
  ];
}

function loggedTurns(value: unknown): MessageList | null {
  if (!Array.isArray(value) || value.length < 2) return null;
  const lines = value.flatMap((line: unknown) => logged.safeParse(line).data ?? []);
  return lines.length * 2 > value.length ? untitled(lines.flatMap(({ message }) => turnsOf(message))) : null;
}
