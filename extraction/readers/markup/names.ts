/** Element names of document vocabularies (DocBook, TEI, JATS, DITA, XHTML and others), by meaning. */

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Paragraphs and lines. */
export const paragraphs = set(
  'p para simpara formalpara l ab line sp speaker stage abstract-p note-p dd shortdesc verse-line v paragraph',
);
export const titles = set('title head heading caption label-title article-title chapter-title subtitle');
export const lists = set(
  'list itemizedlist orderedlist simplelist variablelist procedure ul ol listbibl glosslist steps ref-list',
);
export const orderedLists = set('orderedlist ol procedure steps');
export const items = set('listitem item li step varlistentry list-item def-item glossentry bibl ref');
export const stanzas = set('lg stanza linegroup verse-group');
export const codes = set(
  'programlisting screen codeblock pre literallayout preformat eg egxml source synopsis code-block',
);
export const quotes = set('blockquote quote-block disp-quote cit epigraph q-block');
export const tables = set('table informaltable tgroup simpletable');
export const rows = set('tr row strow');
export const cells = set('td th entry cell stentry');
export const notes = set('footnote fn');
/** Elements that only divide a text and get no heading. */
export const transparent = set(
  'body text front back main content group tgroup front-matter book-body article-body conbody taskbody div floats-group table-wrap fig figure example',
);
/** Root and metadata elements, whose fields get no heading. */
export const wrappers = set(
  'TEI teiCorpus article book teiHeader fileDesc titleStmt publicationStmt sourceDesc opener closer articleinfo bookinfo title-group contrib-group contrib article-meta authorgroup',
);
/** Tables and figures with a number and a caption. */
export const captioned = set('table-wrap fig figure example boxed-text');

export const strongNames = set('b bold strong');
export const emphasisNames = set('emphasis em i italic hi foreign firstterm citetitle soCalled cite');
export const codeNames = set(
  'code literal command filename function varname option computeroutput userinput monospace tt gi att classname parameter envar codeph',
);
export const linkNames = set('ulink link ext-link a xref ref uri ptr');
export const breaks = set('lb br');
export const pictures = set('graphic inline-graphic imagedata image img mediaobject inlinemediaobject');

/** Inline elements: an element with only text and these is a paragraph. */
const inlineNames = new Set([
  ...[strongNames, emphasisNames, codeNames, linkNames, breaks, notes].flatMap((names) => [...names]),
  ...'sub sup subscript superscript quote q abbr acronym span s u small name persName placeName date num w pc choice sic corr orig reg trademark email phrase term'.split(
    ' ',
  ),
]);

export function isInlineName(name: string): boolean {
  return inlineNames.has(name);
}

/** "dc:title" -> "title". */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
