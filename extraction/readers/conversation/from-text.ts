/** Pasted conversations with an AI: text with lines that name the speakers. */
import type { Reading } from '../../content.ts';
import { fenceAfter } from '../../markdown/demote.ts';
import { speakerName, type Turn, turnsToMarkdown } from './turns.ts';

const user = 'user|you|human|me|prompt|benutzer|nutzer|utilisateur|usuario|usuário|ユーザー|あなた|用户|пользователь';
/** Verbs of "ChatGPT said", which pages have for screen readers, in several languages. */
const said = ' said| wrote| says| responded| replied| hat gesagt| a dit| dijo| ha detto| disse';
/** "You said" in languages where it is not a name and a verb. */
const userSaid = 'sie sagten|du hast gesagt|vous avez dit|tu as dit|has dicho|dijiste|tú dijiste|você disse|hai detto';
const assistant =
  'assistant|assistent|asistente|ai(?: assistant)?|bot|model|chat ?gpt(?:[ -](?!said|wrote|says|responded|replied|hat|a dit|dijo|ha detto|disse)[\\w.]+)?|gpt-?[\\w.-]+|o[134](?:-\\w+)*|claude(?: (?:code|opus|sonnet|haiku|instant|[\\d.]+))*|' +
  'gemini(?: (?!said|wrote|says|responded|replied|hat|a dit|dijo|ha detto|disse)[\\w.]+)?|(?:microsoft |github )?copilot|bard|grok(?: ?[\\d.]+)?|deepseek(?:[ -](?!said|wrote|says|responded|replied|hat|a dit|dijo|ha detto|disse)[\\w.]+)?|perplexity|mistral|le chat|llama(?: ?[\\d.]+)?|qwen[\\w.-]*|kimi';
const other = 'system|developer|tool';
const speaker = `(${user}|${userSaid}|${assistant}|${other})`;
/** Names that count in headings; "cursor" before a colon would be a common word. */
const headed = `(${user}|${userSaid}|${assistant}|cursor|${other})`;
/** An emoji for the speaker, such as a person or a robot. */
const face = '(?:\\p{Extended_Pictographic}[\\p{Extended_Pictographic}\\p{M}\\u200d\\u{1f3fb}-\\u{1f3ff}]*[ \\t]*)?';
const time = '(?:\\s*[([][^)\\]\\n]{1,40}[)\\]])?';

/** "User:", "**Claude:** text", "### Assistant:", "You said:", "User (10:31): text", "[User]: text". */
const withColon = new RegExp(
  `^ {0,3}(?:#{1,6}[ \\t]+)?(?:[-*][ \\t]+)?(?:\\*\\*|__)?${face}\\[?${speaker}\\]?(?:\\*\\*|__)?${time}(?:${said})?(?:\\*\\*|__)?[ \\t]*[:：](?:\\*\\*|__)?(?:[ \\t]+(.*))?$`,
  'iu',
);
/** "## User", "**Claude**" and "You said" need no colon where they are the whole line. */
const alone = [
  new RegExp(`^ {0,3}#{1,6}[ \\t]+(?:\\*\\*|__)?${face}${headed}(?:\\*\\*|__)?${time}[ \\t]*#*$`, 'iu'),
  new RegExp(`^ {0,3}_?(?:\\*\\*|__)${face}${headed}(?:\\*\\*|__)_?[ \\t]*$`, 'iu'),
  new RegExp(`^ {0,3}${speaker}(?:${said})[ \\t]*$`, 'i'),
  new RegExp(`^ {0,3}(${userSaid})[ \\t]*:?[ \\t]*$`, 'i'),
  new RegExp(`^<\\|(?:im_start\\|>|start_header_id\\|>)?${speaker}(?:<\\|end_header_id)?(?:\\|>)?[ \\t]*$`, 'i'),
];
const isUser = new RegExp(`^(?:${user}|${userSaid})$`, 'i');
const isAssistant = new RegExp(`^(?:${assistant}|cursor)$`, 'i');

type Label = { line: number; label: string; rest: string };

/**
 * The conversation with a heading for each turn, or null for another text. A conversation has turns of a user and of an
 * assistant, and its first label is near the top. Text before that label is kept.
 */
export function conversationFromText(text: string): Reading | null {
  const lines = text.split('\n');
  const labels = findLabels(lines);
  const first = labels[0];
  if (first === undefined || labels.length < 2) return null;
  if (!labels.some(({ label }) => isUser.test(label)) || !labels.some(({ label }) => isAssistant.test(label)))
    return null;
  const preamble = lines.slice(0, first.line).join('\n');
  if (preamble.length > Math.max(1000, text.length / 10)) return null;

  const turns: Turn[] = labels.map(({ line, label, rest }, index) => {
    const end = labels[index + 1]?.line ?? lines.length;
    const body = [rest, ...lines.slice(line + 1, end)].join('\n');
    const speaker = isUser.test(label) ? 'User' : speakerName(label);
    return { speaker, text: withoutSeparator(withoutControls(body)) };
  });
  const titled = /^#[ \t]+(\S[^\n]*)/.exec(preamble.trim());
  const title = titled?.[1]?.trim() ?? null;
  return turnsToMarkdown(turns, title, titled === null ? preamble : preamble.trim().slice(titled[0].length));
}

/** Lines of a copied page from its buttons and notices. */
const controls =
  /^(?:Copy code|Copy\s?Edit|(?:ChatGPT|Claude|Gemini|Copilot) can make mistakes\b.*|Show drafts|Export to Sheets|Skip to content|Thought for (?:a few|a couple of|\d+) \w+|Gemini may display inaccurate info.*)$/;

function withoutControls(body: string): string {
  let open: string | null = null;
  const lines = body.split('\n').filter((line) => {
    open = fenceAfter(line, open);
    return open !== null || !controls.test(line.trim());
  });
  return lines.join('\n');
}

/** Removes the rule that exports put between turns, and the end mark of chat templates. */
function withoutSeparator(body: string): string {
  return body.trimEnd().replace(/(?:\n[ \t]*(?:-{3,}|\*{3,}|_{3,}|<\|(?:im_end|eot_id)\|>)[ \t]*)+$/, '');
}

function findLabels(lines: string[]): Label[] {
  const closes = closingFences(lines);
  const labels: Label[] = [];
  for (let line = 0; line < lines.length; line += 1) {
    const close = closes.get(line);
    if (close !== undefined) {
      line = close;
      continue;
    }
    const found = labelOf(lines[line] ?? '');
    if (found !== null) labels.push({ line, ...found });
  }
  return labels;
}

/** By opening line of a fence: its closing line. A fence that is never closed is left out, so it hides no label. */
function closingFences(lines: string[]): Map<number, number> {
  const closes = new Map<number, number>();
  let open: string | null = null;
  let openedAt = 0;
  lines.forEach((line, index) => {
    const after = fenceAfter(line, open);
    if (open === null && after !== null) openedAt = index;
    if (open !== null && after === null) closes.set(openedAt, index);
    open = after;
  });
  return closes;
}

function labelOf(line: string): { label: string; rest: string } | null {
  if (line.length === 0 || !/^[ #*_[\-<\p{L}\p{Extended_Pictographic}]/u.test(line)) return null;
  for (const pattern of alone) {
    const label = pattern.exec(line)?.[1];
    if (label !== undefined) return { label, rest: '' };
  }
  const match = withColon.exec(line);
  return match?.[1] === undefined ? null : { label: match[1], rest: match[2] ?? '' };
}
