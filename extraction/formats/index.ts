/** Every format that can be read. One that is more special stands before one that would take its content, too. */
import { conversation } from './conversation.ts';
import type { Format } from './format.ts';
import { html } from './html.ts';
import { json } from './json.ts';
import { markdown } from './markdown.ts';
import { pdf } from './pdf.ts';
import { text } from './text.ts';
import { xml } from './xml.ts';

export const formats: readonly Format[] = [pdf, html, json, xml, conversation, markdown, text];
