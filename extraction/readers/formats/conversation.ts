/** Conversations with an AI: pasted or typed with the speakers' names, exported, or as lists of messages. */

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
  emptiness: 'The conversation has no messages.',
  looks: (sample) => (readingOf(sample) === null ? null : 'likely'),
  read: (sample) => readingOf(sample) ?? emptyReading,
};
