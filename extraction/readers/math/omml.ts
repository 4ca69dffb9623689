/** Office Math (ECMA-376 part 1, 22.1) -> LaTeX. */
import { childOf, elementsOf, textOf, type XmlElement } from '../xml/parse.ts';
import { accentOf, braced, fenceOf, functionOf, latexOf, scriptBase, textCommand, tidy } from './symbols.ts';

/** The LaTeX of an `m:oMath`, on one line; empty for an empty formula. */
export function ommlToLatex(math: XmlElement): string {
  return tidy(all(math));
}

function all(element: XmlElement | undefined): string {
  return elementsOf(element).map(one).join('');
}

/** The content of a named argument. */
function part(element: XmlElement, name: string): string {
  return all(childOf(element, name)).trim();
}

function property(element: XmlElement, name: string): string | undefined {
  const found = childOf(element, `${element.name}Pr`, name);
  return found === undefined ? undefined : (found.attributes['m:val'] ?? '');
}

function isOn(element: XmlElement, name: string): boolean {
  const value = property(element, name);
  return value !== undefined && !['0', 'off', 'false'].includes(value);
}

function one(element: XmlElement): string {
  const write = Object.hasOwn(writers, element.name) ? writers[element.name] : undefined;
  if (write !== undefined) return write(element);
  if (element.name.endsWith('Pr') || element.name === 'w:del') return '';
  return all(element);
}

const writers: Readonly<Record<string, (element: XmlElement) => string>> = {
  'm:r': run,
  'm:t': (element) => latexOf(textOf(element)),
  'm:f': fraction,
  'm:rad': (element) => {
    const degree = isOn(element, 'm:degHide') ? '' : part(element, 'm:deg');
    return `\\sqrt${degree === '' ? '' : `[${degree}]`}${braced(part(element, 'm:e'))}`;
  },
  'm:sSup': (element) => `${base(element)}^${braced(part(element, 'm:sup'))}`,
  'm:sSub': (element) => `${base(element)}_${braced(part(element, 'm:sub'))}`,
  'm:sSubSup': (element) => `${base(element)}_${braced(part(element, 'm:sub'))}^${braced(part(element, 'm:sup'))}`,
  'm:sPre': (element) => `{}_${braced(part(element, 'm:sub'))}^${braced(part(element, 'm:sup'))}${base(element)}`,
  'm:nary': nary,
  'm:d': delimiters,
  'm:m': (element) => `\\begin{matrix}${rowsOf(element)}\\end{matrix}`,
  'm:eqArr': (element) => `\\begin{aligned}${lines(element)}\\end{aligned}`,
  'm:func': (element) => `${functionName(childOf(element, 'm:fName'))} ${part(element, 'm:e')} `,
  'm:limLow': (element) => limit(element, '_', 'underset'),
  'm:limUpp': (element) => limit(element, '^', 'overset'),
  'm:acc': (element) => `\\${accentOf(property(element, 'm:chr') ?? '\u0302') ?? 'hat'}${braced(part(element, 'm:e'))}`,
  'm:bar': (element) =>
    `\\${property(element, 'm:pos') === 'top' ? 'overline' : 'underline'}${braced(part(element, 'm:e'))}`,
  'm:groupChr': (element) => {
    const sign = property(element, 'm:chr') ?? '⏟';
    const isTop = property(element, 'm:pos') === 'top';
    const command = accentOf(sign);
    const inner = braced(part(element, 'm:e'));
    if (command !== null) return `\\${command}${inner}`;
    return `\\${isTop ? 'overset' : 'underset'}${braced(latexOf(sign))}${inner}`;
  },
  'm:borderBox': (element) => `\\boxed${braced(part(element, 'm:e'))}`,
  'm:phant': (element) => (isOn(element, 'm:show') ? part(element, 'm:e') : `\\phantom${braced(part(element, 'm:e'))}`),
};

function base(element: XmlElement): string {
  return scriptBase(part(element, 'm:e'));
}

function run(element: XmlElement): string {
  const text = elementsOf(element, 'm:t').map(textOf).join('');
  const properties = childOf(element, 'm:rPr');
  if (childOf(properties, 'm:nor') !== undefined) return text.trim() === '' ? latexOf(text) : textCommand(text);
  const script = childOf(properties, 'm:scr')?.attributes['m:val'] ?? '';
  const alphabet = { 'double-struck': 'mathbb', script: 'mathcal', fraktur: 'mathfrak' }[script];
  if (alphabet !== undefined) return `\\${alphabet}${braced(latexOf(text))}`;
  const style = childOf(properties, 'm:sty')?.attributes['m:val'];
  if (style === 'p' && /^\p{L}{2,}$/u.test(text.trim())) return functionOf(text);
  if (style === 'b' || style === 'bi') return `\\mathbf${braced(latexOf(text))}`;
  return latexOf(text);
}

function fraction(element: XmlElement): string {
  const [above, below] = [part(element, 'm:num'), part(element, 'm:den')];
  const kind = property(element, 'm:type');
  if (kind === 'lin' || kind === 'skw') return `${scriptBase(above)}/${scriptBase(below)}`;
  if (kind === 'noBar') return `{${above} \\atop ${below}}`;
  return `\\frac${braced(above)}${braced(below)}`;
}

function nary(element: XmlElement): string {
  const sign = latexOf(property(element, 'm:chr') ?? '∫').trim();
  const below = isOn(element, 'm:subHide') ? '' : part(element, 'm:sub');
  const above = isOn(element, 'm:supHide') ? '' : part(element, 'm:sup');
  const limits = `${below === '' ? '' : `_${braced(below)}`}${above === '' ? '' : `^${braced(above)}`}`;
  return `${sign}${limits} ${part(element, 'm:e')} `;
}

function delimiters(element: XmlElement): string {
  const open = property(element, 'm:begChr') ?? '(';
  const close = property(element, 'm:endChr') ?? ')';
  const separator = latexOf(property(element, 'm:sepChr') ?? '|');
  const arguments_ = elementsOf(element, 'm:e');
  const inner = arguments_.map((argument) => all(argument).trim());
  const [only] = arguments_;
  const content = elementsOf(only).filter(({ name }) => name !== 'm:ctrlPr');
  if (arguments_.length === 1 && content.length === 1 && content[0] !== undefined) {
    const kind = matrixKind(open, close);
    if (content[0].name === 'm:m' && kind !== null) return `\\begin{${kind}}${rowsOf(content[0])}\\end{${kind}}`;
    if (content[0].name === 'm:m' && open === '{' && close === '') {
      return `\\begin{cases}${rowsOf(content[0])}\\end{cases}`;
    }
    if (content[0].name === 'm:eqArr' && open === '{' && close === '') {
      return `\\begin{cases}${lines(content[0])}\\end{cases}`;
    }
    const isChoice = content[0].name === 'm:f' && property(content[0], 'm:type') === 'noBar';
    if (isChoice && open === '(' && close === ')') {
      return `\\binom${braced(part(content[0], 'm:num'))}${braced(part(content[0], 'm:den'))}`;
    }
  }
  const text = inner.join(` ${separator} `);
  const isTall = /\\(?:frac|sum|int|prod|begin|sqrt|binom)/.test(text) || open === '' || close === '';
  if (!isTall && '([{'.includes(open) && ')]}'.includes(close)) return `${latexOf(open)}${text}${latexOf(close)}`;
  return `\\left${fenceOf(open)} ${text} \\right${fenceOf(close)}`;
}

function matrixKind(open: string, close: string): string | null {
  const kinds: Readonly<Record<string, string>> = {
    '()': 'pmatrix',
    '[]': 'bmatrix',
    '||': 'vmatrix',
    '‖‖': 'Vmatrix',
    '{}': 'Bmatrix',
  };
  return kinds[open + close] ?? null;
}

function rowsOf(matrix: XmlElement): string {
  return elementsOf(matrix, 'm:mr')
    .map((row) =>
      elementsOf(row, 'm:e')
        .map((cell) => all(cell).trim())
        .join(' & '),
    )
    .join(' \\\\ ');
}

/** Lines of an equation array; "&" marks the alignment. */
function lines(array: XmlElement): string {
  return elementsOf(array, 'm:e')
    .map((line) => all(line).trim().replaceAll('\\&', '&'))
    .join(' \\\\ ');
}

function functionName(name: XmlElement | undefined): string {
  const [only, ...others] = elementsOf(name).filter((child) => !child.name.endsWith('Pr'));
  if (only?.name === 'm:r' && others.length === 0) return functionOf(elementsOf(only, 'm:t').map(textOf).join(''));
  return all(name).trim();
}

function limit(element: XmlElement, sign: string, otherwise: string): string {
  const inner = functionName(childOf(element, 'm:e'));
  const bound = part(element, 'm:lim');
  // Below a brace or an operator the limit is a subscript; below other expressions it needs \underset.
  if (/^\\(?:[a-zA-Z]+$|(?:under|over)brace|operatorname)/.test(inner)) return `${inner}${sign}${braced(bound)} `;
  return `\\${otherwise}${braced(bound)}${braced(inner)} `;
}
