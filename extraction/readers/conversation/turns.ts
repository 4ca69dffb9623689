/** The turns of a conversation with an AI -> Markdown. */
import type { TurnRole } from '../../../contract/extraction.ts';
import type { Reading } from '../../content.ts';
import { closeFence, demoteHeadings } from '../../markdown/demote.ts';

export type Turn = {
  speaker: string;
  /** Markdown as the speaker wrote it. */
  text: string;
};

/** Names of the user, in several languages. */
const asUser =
  /^(?:user|you|human|me|prompt|du|sie|ich|benutzer|nutzer|vous|tu|moi|utilisateur|tú|usted|usuario|você|usuário|あなた|ユーザー|你|您|用户|пользователь|вы)$/i;
const names: Record<string, string> = {
  assistant: 'Assistant',
  ai: 'AI',
  bot: 'Bot',
  model: 'Assistant',
  gpt: 'Assistant',
  assistent: 'Assistant',
  asistente: 'Assistant',
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  gemini: 'Gemini',
  copilot: 'Copilot',
  grok: 'Grok',
  deepseek: 'DeepSeek',
  perplexity: 'Perplexity',
  cursor: 'Cursor',
  system: 'System',
  developer: 'System',
  tool: 'Tool',
  function: 'Tool',
  ipython: 'Tool',
};

/** The display name of a speaker: "User" for all names of the user, else the assistant's name. */
export function speakerName(label: string): string {
  const name = label.replace(/\s+/g, ' ').trim();
  if (asUser.test(name)) return 'User';
  return names[name.toLowerCase()] ?? name;
}

/** The role of a speaker, by the display name. */
export function roleOf(speaker: string): TurnRole {
  if (speaker === 'User') return 'user';
  if (speaker === 'System') return 'system';
  return speaker === 'Tool' ? 'tool' : 'assistant';
}

/** Turns with headings of depth 2 and their own headings below that. Successive turns of one speaker are merged. */
export function turnsToMarkdown(turns: Turn[], title: string | null, preamble = ''): Reading {
  const merged: Turn[] = [];
  for (const { speaker, text } of turns) {
    const previous = merged.at(-1);
    if (text.trim() === '') continue;
    if (previous?.speaker === speaker) previous.text = `${previous.text.trimEnd()}\n\n${text}`;
    else merged.push({ speaker, text });
  }
  const parts: string[] = [];
  if (merged.length > 0 && title !== null) parts.push(`# ${title}`);
  if (merged.length > 0 && preamble.trim() !== '') parts.push(closeFence(trimBlankLines(preamble)));
  let start = parts.reduce((length, part) => length + part.length + 2, 0);
  const starts = merged.map(({ speaker, text }) => {
    const turn = { role: roleOf(speaker), speaker, start };
    const part = `## ${speaker}\n\n${closeFence(demoteHeadings(trimBlankLines(text), 3))}`;
    parts.push(part);
    start += part.length + 2;
    return turn;
  });
  return { markdown: parts.join('\n\n'), title, languageHint: null, turns: starts };
}

/** Removes blank lines around the text and up to three leading spaces; four would mean a code block. */
function trimBlankLines(text: string): string {
  return text
    .replace(/^(?:[ \t]*\n)+/, '')
    .replace(/^ {1,3}(?=\S)/, '')
    .trimEnd();
}
