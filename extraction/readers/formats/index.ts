/** All supported formats. A more specific format precedes a general one that would match its content too. */
import { atom } from './atom.ts';
import { code } from './code.ts';
import { conversation } from './conversation.ts';
import { csv } from './csv.ts';
import { docx } from './docx.ts';
import { eml } from './eml.ts';
import { epub } from './epub.ts';
import type { Format } from './format.ts';
import { html } from './html.ts';
import { image } from './image.ts';
import { ipynb } from './ipynb.ts';
import { json } from './json.ts';
import { markdown } from './markdown.ts';
import { odp } from './odp.ts';
import { ods } from './ods.ts';
import { odt } from './odt.ts';
import { pdf } from './pdf.ts';
import { pptx } from './pptx.ts';
import { rss } from './rss.ts';
import { rtf } from './rtf.ts';
import { srt } from './srt.ts';
import { svg } from './svg.ts';
import { text } from './text.ts';
import { tsv } from './tsv.ts';
import { vtt } from './vtt.ts';
import { xls } from './xls.ts';
import { xlsx } from './xlsx.ts';
import { xml } from './xml.ts';
import { yaml } from './yaml.ts';

export const formats: readonly Format[] = [
  pdf,
  odp,
  odt,
  xlsx,
  xls,
  ods,
  epub,
  rtf,
  pptx,
  image,
  docx,
  code,
  vtt,
  srt,
  html,
  json,
  ipynb,
  rss,
  atom,
  svg,
  xml,
  eml,
  conversation,
  markdown,
  yaml,
  tsv,
  csv,
  text,
];
