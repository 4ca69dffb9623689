/** WebVTT subtitles -> a transcript. */
import { transcriptOf } from '../subtitles/transcript.ts';
import type { TextFormat } from './format.ts';

export const vtt: TextFormat = {
  kind: 'text',
  name: 'vtt',
  label: 'WebVTT subtitles',
  mediaTypes: ['text/vtt'],
  extensions: ['vtt'],
  parser: null,
  emptyMessage: 'The subtitles have no text.',
  detect: ({ text }) => (/^WEBVTT(?:[ \t\n]|$)/.test(text) ? 'sure' : null),
  read: ({ text }) => transcriptOf(text),
};
