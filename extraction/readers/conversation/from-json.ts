/** One or more conversations in JSON: exports of ChatGPT and Claude, and lists of messages. */
import { z } from 'zod';
import type { Reading, TurnStart } from '../../content.ts';
import { turnsOfApp, withoutEnvelope } from './apps.ts';
import { chatgptExport, chatgptTurns } from './chatgpt.ts';
import { claudeExport, claudeTurns } from './claude.ts';
import { turnsOfMessages } from './message-lists.ts';
import { turnsToMarkdown } from './turns.ts';

/** The conversation, or all conversations of an export, as Markdown; null for other JSON. */
export function conversationFromJson(value: unknown): Reading | null {
  const single = oneConversation(value);
  if (single !== null) return single;
  const list = withoutEnvelope(value);
  if (!Array.isArray(list) || list.length === 0) return null;
  const results: Reading[] = [];
  for (const entry of list) {
    const result = oneConversation(entry);
    if (result === null) return null;
    if (result.markdown !== '') results.push(result);
  }
  if (results.length <= 1) return results[0] ?? { markdown: '', title: null, languageHint: null };
  const pieces: string[] = [];
  const turns: TurnStart[] = [];
  let offset = 0;
  for (const [index, { title, ...part }] of results.entries()) {
    // Each is a section; one without a title gets a number.
    const head = title === null ? `# Conversation ${index + 1}\n\n` : '';
    for (const turn of part.turns ?? []) turns.push({ ...turn, start: turn.start + offset + head.length });
    pieces.push(head + part.markdown);
    offset += head.length + part.markdown.length + 2;
  }
  return { markdown: pieces.join('\n\n'), title: null, languageHint: null, turns };
}

function oneConversation(value: unknown): Reading | null {
  const chatgpt = chatgptExport.safeParse(value).data;
  if (chatgpt !== undefined) {
    const seconds = chatgpt.create_time;
    return dated(
      turnsToMarkdown(chatgptTurns(chatgpt), titled(chatgpt.title)),
      seconds ? new Date(seconds * 1000) : null,
    );
  }
  const claude = claudeExport.safeParse(value).data;
  if (claude !== undefined) {
    const begun = claude.created_at;
    return dated(turnsToMarkdown(claudeTurns(claude), titled(claude.name)), begun ? new Date(inUtc(begun)) : null);
  }
  const list = turnsOfMessages(value) ?? turnsOfMessages(chatOf(value)) ?? turnsOfApp(value);
  return list === null ? null : turnsToMarkdown(list.turns, titled(list.title));
}

/** The `chat` of an entry, in which Open WebUI has the messages. */
function chatOf(value: unknown): unknown {
  return z.looseObject({ chat: z.looseObject({ messages: z.array(z.unknown()) }) }).safeParse(value).data?.chat;
}

/** A time without a zone as UTC; `Date` would take it as local time. */
function inUtc(time: string): string {
  return /T[\d:.]+$/.test(time) ? `${time}Z` : time;
}

function dated(reading: Reading, date: Date | null): Reading {
  if (date === null || Number.isNaN(date.getTime())) return reading;
  return { ...reading, about: { publishedAt: date.toISOString() } };
}

function titled(title: string | null | undefined): string | null {
  const text = title?.replace(/\s+/g, ' ').trim() ?? '';
  return text === '' ? null : text;
}
