/** Cues -> paragraphs, each with its start time. */
import type { Reading } from '../../content.ts';
import { escapeInline } from '../../markdown/write.ts';
import { type Cue, cuesOf } from './cues.ts';

/** A pause of this many milliseconds starts a paragraph. */
const PAUSE = 3_000;
/** Characters after which a paragraph ends at the next sentence end, and after which it always ends. */
const LONG_PARAGRAPH = 500;
const MAX_PARAGRAPH = 1_200;

interface Paragraph {
  start: number;
  end: number;
  speaker: string | null;
  text: string;
}

/** The transcript of subtitles: "[00:01:02] **Anna:** What she says." */
export function transcriptOf(text: string): Reading {
  const paragraphs: Paragraph[] = [];
  let previous: Cue | undefined;
  for (const cue of withoutRepetition(cuesOf(text))) {
    const open = paragraphs.at(-1);
    if (open === undefined || previous === undefined || breaks(open, previous, cue)) {
      paragraphs.push({ start: cue.start, end: cue.end, speaker: cue.speaker ?? null, text: cue.text });
    } else {
      open.text = joined(open.text, cue.text);
      open.end = cue.end;
    }
    previous = cue;
  }
  const markdown = paragraphs
    .map(({ start, speaker, text: words }) => {
      const name = speaker === null ? '' : `**${escapeInline(speaker)}:** `;
      return `[${clock(start)}] ${name}${escapeInline(words)}`;
    })
    .join('\n\n');
  return { markdown, title: titleOf(text), languageHint: languageOf(text) };
}

function breaks(open: Paragraph, previous: Cue, cue: Cue): boolean {
  if (cue.speaker !== null && cue.speaker !== open.speaker) return true;
  if (/^[-–—]\s?\S/.test(cue.text) || /^[♪♫[(]/.test(cue.text) !== /^[♪♫[(]/.test(previous.text)) return true;
  if (cue.start - previous.end >= PAUSE) return true;
  const ended = /[.!?…。！？]["'”’»)\]]?$/.test(open.text);
  return open.text.length >= MAX_PARAGRAPH || (ended && open.text.length >= LONG_PARAGRAPH);
}

/** Chinese, Japanese and Thai have no spaces between sentences. */
function joined(before: string, after: string): string {
  const close = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}、。，！？」』]$/u.test(before);
  return close ? before + after : `${before} ${after}`;
}

/** Removes the repetitions of roll-up captions, which have each line in two successive cues. */
function withoutRepetition(cues: readonly Cue[]): Cue[] {
  const kept: Cue[] = [];
  let shown = '';
  for (const cue of cues) {
    const isDistinctive = shown.includes(' ') || shown.length > 8;
    if ((kept.at(-1)?.speaker ?? null) === cue.speaker) {
      if (cue.text === shown) continue;
      if (isDistinctive && cue.text.length > 3 && shown.endsWith(` ${cue.text}`)) {
        shown = cue.text;
        continue;
      }
    }
    const repeated = isDistinctive && cue.text.startsWith(`${shown} `);
    const text = repeated ? cue.text.slice(shown.length + 1) : cue.text;
    kept.push({ ...cue, text });
    shown = repeated ? text : cue.text;
  }
  return kept;
}

function clock(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** The title in "WEBVTT - All hands" or "WEBVTT Title", or null. */
function titleOf(text: string): string | null {
  const title = /^WEBVTT[ \t]+(?:[-–—:]\s*)?(\S[^\n]*)/.exec(text)?.[1]?.trim();
  return title === undefined || /^(?:kind|language|x-timestamp)\b/i.test(title) ? null : title;
}

function languageOf(text: string): string | null {
  return /^Language:[ \t]*([a-z]{2,3}(?:-[\w-]+)?)[ \t]*$/im.exec(text.slice(0, 500))?.[1] ?? null;
}
