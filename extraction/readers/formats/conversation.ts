/** Conversations with an AI: text with the speakers' names, exports of applications, or lists of messages. */

import type { Reading } from '../../content.ts';
import { conversationFromJson } from '../conversation/from-json.ts';
import { conversationFromText } from '../conversation/from-text.ts';
import type { TextFormat, TextSample } from './format.ts';

const emptyReading: Reading = { markdown: '', title: null, languageHint: null };

function readingOf({ json, text }: TextSample): Reading | null {
  const value = json();
  return value === undefined ? conversationFromText(text) : conversationFromJson(value);
}

export const conversation: TextFormat = {
  kind: 'text',
  name: 'conversation',
  label: 'a conversation',
  mediaTypes: [],
  extensions: [],
  parser: null,
  emptyMessage: 'The conversation has no messages.',
  detect: (sample) => (readingOf(sample) === null ? null : 'likely'),
  read: (sample) => readingOf(sample) ?? emptyReading,
};
