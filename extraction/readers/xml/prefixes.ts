/** Renames namespace prefixes to the usual ones, which nearly all programs write. */
import { elementsOf, type XmlElement } from './parse.ts';

/** Usual prefixes ("" for none) by the end of their namespaces, in the transitional and the strict form. */
const usual: readonly [RegExp, string][] = [
  [/\/wordprocessingml(?:\/2006)?\/main$/, 'w'],
  [/\/presentationml(?:\/2006)?\/main$/, 'p'],
  [/\/drawingml(?:\/2006)?\/main$/, 'a'],
  [/\/drawingml(?:\/2006)?\/chart$/, 'c'],
  [/\/drawingml(?:\/2006)?\/spreadsheetDrawing$/, 'xdr'],
  [/\/spreadsheetml(?:\/2006)?\/main$/, ''],
  [/\/drawingml(?:\/2006)?\/diagram$/, 'dgm'],
  [/\/drawingml(?:\/2006)?\/wordprocessingDrawing$/, 'wp'],
  [/\/officeDocument(?:\/2006)?\/math$/, 'm'],
  [/\/officeDocument(?:\/2006)?\/relationships$/, 'r'],
  [/\/markup-compatibility\/2006$/, 'mc'],
  ...['office', 'text', 'style', 'table', 'presentation', 'meta', 'chart'].map((name): [RegExp, string] => [
    new RegExp(`:opendocument:xmlns:${name}:1\\.0$`),
    name,
  ]),
  [/:opendocument:xmlns:drawing:1\.0$/, 'draw'],
  [/:opendocument:xmlns:svg-compatible:1\.0$/, 'svg'],
  [/:opendocument:xmlns:xsl-fo-compatible:1\.0$/, 'fo'],
];

/** The tree with the usual prefixes. */
export function withKnownPrefixes(root: XmlElement): XmlElement {
  const renamed = new Map<string, string>();
  for (const [attribute, namespace] of Object.entries(root.attributes)) {
    const prefix = /^xmlns(?::(.+))?$/.exec(attribute)?.[1] ?? (attribute === 'xmlns' ? '' : null);
    const known = usual.find(([pattern]) => pattern.test(namespace))?.[1];
    if (prefix !== null && known !== undefined && prefix !== known) renamed.set(prefix, known);
  }
  if (renamed.size === 0) return root;
  const pending = [root];
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    element.name = rename(element.name, renamed, true);
    element.attributes = Object.fromEntries(
      Object.entries(element.attributes).map(([name, value]) => [rename(name, renamed, false), value]),
    );
    for (const child of elementsOf(element)) pending.push(child);
  }
  return root;
}

/** Renames the prefix of a name. An attribute without a prefix has no namespace. */
function rename(name: string, renamed: ReadonlyMap<string, string>, isElement: boolean): string {
  const colon = name.indexOf(':');
  if (colon === -1 && !isElement) return name;
  const prefix = renamed.get(colon === -1 ? '' : name.slice(0, colon));
  const local = name.slice(colon + 1);
  return prefix === undefined ? name : prefix === '' ? local : `${prefix}:${local}`;
}
