/** MathML -> LaTeX. */
import { elementsOf, textOf, type XmlElement } from '../xml/parse.ts';
import { accentOf, braced, fenceOf, functionOf, latexOf, scriptBase, textCommand, tidy } from './symbols.ts';

/** The LaTeX of a `math` element on one line; its TeX annotation if it has one. */
export function mathmlToLatex(math: XmlElement): string {
  return tidy(all(math));
}

function localName({ name }: XmlElement): string {
  return name.slice(name.indexOf(':') + 1);
}

function all(element: XmlElement | undefined): string {
  return elementsOf(element).map(one).join('');
}

function one(element: XmlElement): string {
  const name = localName(element);
  const write = Object.hasOwn(writers, name) ? writers[name] : undefined;
  return write === undefined ? all(element) : write(element);
}

/** The arguments of an element, each as LaTeX; missing ones are empty. */
function argumentsOf(element: XmlElement): [string, string, string] {
  const [first, second, third] = elementsOf(element);
  const write = (child: XmlElement | undefined) => (child === undefined ? '' : one(child).trim());
  return [write(first), write(second), write(third)];
}

const writers: Readonly<Record<string, (element: XmlElement) => string>> = {
  semantics: (element) => {
    const [content] = elementsOf(element);
    const tex = elementsOf(element).find(({ attributes }) => attributes.encoding === 'application/x-tex');
    return tex === undefined ? (content === undefined ? '' : one(content)) : textOf(tex);
  },
  annotation: () => '',
  mi: (element) => {
    const text = textOf(element).trim();
    if (Array.from(text).length > 1 && /^\p{L}+$/u.test(text)) return `${functionOf(text)} `;
    const isDouble = element.attributes.mathvariant === 'double-struck';
    return isDouble && /^[A-Za-z]$/.test(text) ? `\\mathbb${braced(text)}` : latexOf(text);
  },
  mn: (element) => latexOf(textOf(element).trim()),
  mo: (element) => operator(textOf(element).trim()),
  mtext: (element) => (textOf(element).trim() === '' ? ' ' : textCommand(textOf(element).replace(/\s+/g, ' '))),
  mspace: () => ' ',
  mfrac: (element) => {
    const [above, below] = argumentsOf(element);
    if (element.attributes.linethickness === '0') return `{${above} \\atop ${below}}`;
    return `\\frac${braced(above)}${braced(below)}`;
  },
  msqrt: (element) => `\\sqrt${braced(all(element))}`,
  mroot: (element) => {
    const [radicand, degree] = argumentsOf(element);
    return `\\sqrt[${degree}]${braced(radicand)}`;
  },
  msup: (element) => {
    const [base, above] = argumentsOf(element);
    return `${scriptBase(base)}^${braced(above)}`;
  },
  msub: (element) => {
    const [base, below] = argumentsOf(element);
    return `${scriptBase(base)}_${braced(below)}`;
  },
  msubsup: (element) => {
    const [base, below, above] = argumentsOf(element);
    return `${scriptBase(base)}_${braced(below)}^${braced(above)}`;
  },
  munder: (element) => {
    const [base, below] = argumentsOf(element);
    return isOperator(base) ? `${base}_${braced(below)} ` : `\\underset${braced(below)}${braced(base)}`;
  },
  mover: (element) => {
    const [base, above] = argumentsOf(element);
    const accent = accentOf(textOf(elementsOf(element)[1]).trim());
    if (accent !== null) return `\\${accent}${braced(base)}`;
    return isOperator(base) ? `${base}^${braced(above)} ` : `\\overset${braced(above)}${braced(base)}`;
  },
  munderover: (element) => {
    const [base, below, above] = argumentsOf(element);
    return `${base}_${braced(below)}^${braced(above)} `;
  },
  mfenced: (element) => {
    const { open = '(', close = ')' } = element.attributes;
    const inner = elementsOf(element).map((child) => one(child).trim());
    return `\\left${fenceOf(open)} ${inner.join(', ')} \\right${fenceOf(close)}`;
  },
  menclose: (element) => `\\boxed${braced(all(element))}`,
  mphantom: (element) => `\\phantom${braced(all(element))}`,
  mtable: (element) => {
    const rows = elementsOf(element).map((row) =>
      elementsOf(row)
        .map((cell) => all(cell).trim())
        .join(' & '),
    );
    return `\\begin{matrix}${rows.join(' \\\\ ')}\\end{matrix}`;
  },
  mrow: (element) => cases(element) ?? fenced(element) ?? all(element),
};

/** The `cases` environment for a table after an opening brace without a closing one; else null. */
function cases(row: XmlElement): string | null {
  const [brace, ...others] = elementsOf(row);
  if (brace === undefined || localName(brace) !== 'mo' || textOf(brace).trim() !== '{') return null;
  const inner = others.map(one).join('').trim();
  const rows = /^\\begin\{matrix\}([\s\S]*)\\end\{matrix\}$/.exec(inner)?.[1];
  return rows === undefined || rows.includes('\\begin{matrix}') ? null : `\\begin{cases}${rows}\\end{cases}`;
}

/** A row in brackets; else null. */
function fenced(row: XmlElement): string | null {
  const children = elementsOf(row);
  const [first, last] = [children[0], children.at(-1)];
  if (first === undefined || last === undefined || children.length < 3) return null;
  if (localName(first) !== 'mo' || localName(last) !== 'mo') return null;
  const [open, close] = [textOf(first).trim(), textOf(last).trim()];
  if (!/^[([{|‖⟨⌈⌊]$/.test(open) || !/^[)\]}|‖⟩⌉⌋]$/.test(close)) return null;
  const inner = children.slice(1, -1).map(one).join('').trim();
  const matrix = /^\\begin\{matrix\}([\s\S]*)\\end\{matrix\}$/.exec(inner)?.[1];
  const kinds: Readonly<Record<string, string>> = { '()': 'pmatrix', '[]': 'bmatrix', '||': 'vmatrix' };
  const kind = kinds[open + close];
  if (matrix !== undefined && kind !== undefined && !matrix.includes('\\begin{matrix}')) {
    return `\\begin{${kind}}${matrix}\\end{${kind}}`;
  }
  if (!/\\(?:frac|sum|int|prod|begin|sqrt)/.test(inner)) return `${latexOf(open)}${inner}${latexOf(close)}`;
  return `\\left${fenceOf(open)} ${inner} \\right${fenceOf(close)}`;
}

function operator(text: string): string {
  return Array.from(text).length > 1 && /^\p{L}+$/u.test(text) ? `${functionOf(text)} ` : latexOf(text);
}

/** True for sums, limits and other operators, whose lower limit is a subscript. */
function isOperator(latex: string): boolean {
  return /^\\(?:sum|prod|coprod|int|iint|iiint|oint|bigcup|bigcap|lim|limsup|liminf|max|min|sup|inf|underbrace|overbrace|operatorname)\b/.test(
    latex,
  );
}
