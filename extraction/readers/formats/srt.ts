/** SubRip subtitles -> a transcript. */
import { isTiming } from '../subtitles/cues.ts';
import { transcriptOf } from '../subtitles/transcript.ts';
import type { TextFormat } from './format.ts';

export const srt: TextFormat = {
  kind: 'text',
  name: 'srt',
  label: 'SRT subtitles',
  mediaTypes: ['application/x-subrip', 'text/srt', 'application/srt'],
  extensions: ['srt'],
  parser: null,
  emptyMessage: 'The subtitles have no text.',
  detect({ text }) {
    const [first = '', second = ''] = text.slice(0, 1000).trimStart().split('\n', 2);
    const isCue = /^\d+\s*$/.test(first) ? isTiming(second) : isTiming(first) && second.trim() !== '';
    return isCue ? 'sure' : null;
  },
  read: ({ text }) => transcriptOf(text),
};
