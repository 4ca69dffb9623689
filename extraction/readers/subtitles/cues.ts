/** Subtitles: SubRip (.srt) and WebVTT (.vtt) -> cues. */

export interface Cue {
  /** Milliseconds from the beginning. */
  start: number;
  end: number;
  /** Speaker, or null where the cue does not name one. */
  speaker: string | null;
  /** On one line, without styling. */
  text: string;
}

/** "00:01:02,345 --> 00:01:04.000 align:start"; hours are optional and may have one digit. */
const timing =
  /^\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?\s*-->\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?(?:\s.*)?$/;

export function isTiming(line: string): boolean {
  return timing.test(line);
}

/**
 * The cues with text, in the order of the file, without headers, notes, styles and regions. "Anna: text" names a
 * speaker
 * where the file has the name more than once; "ANNA: text" always does.
 */
export function cuesOf(text: string): Cue[] {
  const cues = allCues(text);
  const counts = new Map<string, number>();
  for (const { label } of cues) if (label !== null) counts.set(label, (counts.get(label) ?? 0) + 1);
  return cues.map(({ label, ...cue }) => {
    if (label === null) return cue;
    const isName = label === label.toUpperCase() || (counts.get(label) ?? 0) > 1;
    return isName ? { ...cue, speaker: label } : { ...cue, text: `${label}: ${cue.text}` };
  });
}

/** A cue with the text before a colon, which may be a speaker's name. */
type LabelledCue = Cue & { label: string | null };

function allCues(text: string): LabelledCue[] {
  const cues: LabelledCue[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const times = timing.exec(lines[at] ?? '');
    if (times === null) continue;
    const body: string[] = [];
    // A cue ends at a blank line, or where that is missing at the number and the times of the next cue.
    for (at += 1; at < lines.length; at += 1) {
      const line = lines[at] ?? '';
      const next = lines[at + 1] ?? '';
      // Roll-up captions start with a line of one space.
      if (
        line === '' ||
        (line.trim() === '' && body.length > 0) ||
        isTiming(line) ||
        (/^\s*\d+\s*$/.test(line) && isTiming(next))
      )
        break;
      body.push(line);
    }
    if (isTiming(lines[at] ?? '')) at -= 1;
    const start = milliseconds(times.slice(1, 5));
    const end = milliseconds(times.slice(5, 9));
    for (const voice of voices(body)) cues.push({ start, end, ...voice });
  }
  return cues;
}

function milliseconds([hours, minutes, seconds, fraction = '']: (string | undefined)[]): number {
  const whole = (Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds);
  return whole * 1000 + Number(fraction.padEnd(3, '0'));
}

/** The voices of a cue: `<v Name>` and dashes divide it, "NAME: " at its beginning names one. */
function voices(body: readonly string[]): { speaker: string | null; label: string | null; text: string }[] {
  const dialogue = body.length > 1 && body.every((line) => /^\s*(?:<[^>]*>)*[-–—]\s?\S/.test(line));
  const pieces = dialogue
    ? body.map((line) => ({ speaker: null, text: line }))
    : body
        .join('\n')
        .split(/(?=<v[.\s][^<>]*>)/i)
        .map((piece) => ({
          speaker: /^<v(?:\.[^\s>]*)?\s+([^\s>][^>]*)>/i.exec(piece)?.[1]?.trim() ?? null,
          text: piece,
        }));
  return pieces
    .map(({ speaker, text }) => {
      const plain = plainText(text);
      const named = /^([\p{Lu}][\p{L}\p{N}.'’ -]{0,30})(?<! ):\s+(?=\S)/u.exec(plain);
      const label = named?.[1] ?? null;
      // "ANNA: text", or "Anna: text" of at most three words; a sentence with a colon is longer.
      if (speaker !== null || label === null || label.split(' ').length > 3)
        return { speaker, label: null, text: plain };
      return { speaker, label, text: plain.slice(named?.[0].length) };
    })
    .filter(({ text }) => text !== '');
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  lrm: '',
  rlm: '',
};

function plainText(text: string): string {
  return text
    .replace(/<\/?(?:[a-z][\w.]*(?:\s[^<>]*)?|\d\d:[\d:.]+)>/gi, '')
    .replace(/\{\\[^{}]*\}/g, '')
    .replace(/\\[Nnh]/g, ' ')
    .replace(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim();
}
