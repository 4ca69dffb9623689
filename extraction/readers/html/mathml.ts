/** Presentation MathML -> LaTeX, for formulas that come without their source. */
import { type DomElement, type DomNode, isElement } from './dom.ts';

const symbols: Record<string, string> = {
  '×': '\\times',
  '·': '\\cdot',
  '⋅': '\\cdot',
  '±': '\\pm',
  '∓': '\\mp',
  '÷': '\\div',
  '≤': '\\le',
  '≥': '\\ge',
  '≠': '\\ne',
  '≈': '\\approx',
  '≡': '\\equiv',
  '∼': '\\sim',
  '∝': '\\propto',
  '∞': '\\infty',
  '∂': '\\partial',
  '∇': '\\nabla',
  '∑': '\\sum',
  '∏': '\\prod',
  '∫': '\\int',
  '∮': '\\oint',
  '√': '\\sqrt',
  '∈': '\\in',
  '∉': '\\notin',
  '⊂': '\\subset',
  '⊆': '\\subseteq',
  '∪': '\\cup',
  '∩': '\\cap',
  '∅': '\\emptyset',
  '∀': '\\forall',
  '∃': '\\exists',
  '¬': '\\neg',
  '∧': '\\land',
  '∨': '\\lor',
  '→': '\\to',
  '←': '\\leftarrow',
  '⇒': '\\Rightarrow',
  '⇔': '\\Leftrightarrow',
  '↦': '\\mapsto',
  '…': '\\dots',
  '⋯': '\\cdots',
  '′': "'",
  '−': '-',
  '⟨': '\\langle',
  '⟩': '\\rangle',
  '∥': '\\|',
  '{': '\\{',
  '}': '\\}',
  '%': '\\%',
  '#': '\\#',
  '&': '\\&',
  '\u2061': '',
  '\u2062': '',
  '\u2063': '',
  α: '\\alpha',
  β: '\\beta',
  γ: '\\gamma',
  δ: '\\delta',
  ε: '\\varepsilon',
  ζ: '\\zeta',
  η: '\\eta',
  θ: '\\theta',
  ι: '\\iota',
  κ: '\\kappa',
  λ: '\\lambda',
  μ: '\\mu',
  ν: '\\nu',
  ξ: '\\xi',
  π: '\\pi',
  ρ: '\\rho',
  σ: '\\sigma',
  τ: '\\tau',
  φ: '\\varphi',
  ϕ: '\\phi',
  χ: '\\chi',
  ψ: '\\psi',
  ω: '\\omega',
  Γ: '\\Gamma',
  Δ: '\\Delta',
  Θ: '\\Theta',
  Λ: '\\Lambda',
  Π: '\\Pi',
  Σ: '\\Sigma',
  Φ: '\\Phi',
  Ψ: '\\Psi',
  Ω: '\\Omega',
};
const accents: Record<string, string> = {
  '¯': '\\bar',
  '‾': '\\overline',
  '^': '\\hat',
  '˙': '\\dot',
  '¨': '\\ddot',
  '→': '\\vec',
  '~': '\\tilde',
  '˜': '\\tilde',
  _: '\\underline',
  '⏞': '\\overbrace',
  '⏟': '\\underbrace',
};

/** LaTeX of an element of MathML. Elements that it does not know are their content. */
export function mathmlToTex(node: DomNode): string {
  if (!isElement(node)) return node.nodeName === '#text' ? (node.textContent ?? '').trim() : '';
  const parts = Array.from(node.children).filter((child) => !/^annotation/.test(child.localName));
  const at = (index: number) => (parts[index] === undefined ? '' : mathmlToTex(parts[index]));
  const group = (index: number) => `{${at(index)}}`;
  switch (node.localName) {
    case 'mi':
      return identifier(node);
    case 'mn':
    case 'mo':
      return tokenOf(node);
    case 'mtext':
      return `\\text{${(node.textContent ?? '').replace(/\s+/g, ' ')}}`;
    case 'mspace':
      return ' ';
    case 'mfrac':
      return node.getAttribute('linethickness') === '0'
        ? `\\binom${group(0)}${group(1)}`
        : `\\frac${group(0)}${group(1)}`;
    case 'msqrt':
      return `\\sqrt{${parts.map(mathmlToTex).join(' ')}}`;
    case 'mroot':
      return `\\sqrt[${at(1)}]${group(0)}`;
    case 'msup':
      return `${baseOf(parts[0])}^${group(1)}`;
    case 'msub':
      return `${baseOf(parts[0])}_${group(1)}`;
    case 'msubsup':
    case 'munderover':
      return `${baseOf(parts[0])}_${group(1)}^${group(2)}`;
    case 'mover':
      return accentOf(parts[1]) === null ? `${baseOf(parts[0])}^${group(1)}` : `${accentOf(parts[1])}${group(0)}`;
    case 'munder':
      return accentOf(parts[1]) === null ? `${baseOf(parts[0])}_${group(1)}` : `${accentOf(parts[1])}${group(0)}`;
    case 'mfenced':
      return `\\left${node.getAttribute('open') ?? '('}${parts.map(mathmlToTex).join(', ')}\\right${node.getAttribute('close') ?? ')'}`;
    case 'mtable':
      return `\\begin{matrix} ${parts.map(mathmlToTex).join(' \\\\ ')} \\end{matrix}`;
    case 'mtr':
      return parts.map(mathmlToTex).join(' & ');
    default:
      return Array.from(node.childNodes)
        .map(mathmlToTex)
        .filter((part) => part !== '')
        .join(' ');
  }
}

function tokenOf(node: DomElement): string {
  const text = (node.textContent ?? '').trim();
  return symbols[text] ?? text;
}

/** Functions of several letters stand upright. */
function identifier(node: DomElement): string {
  const text = tokenOf(node);
  if (/^(?:sin|cos|tan|cot|sec|csc|log|ln|exp|lim|max|min|sup|inf|det|dim|ker|gcd|arg|mod)$/.test(text))
    return `\\${text}`;
  return /^[a-z]{2,}$/i.test(text) ? `\\mathrm{${text}}` : text;
}

/** What a script hangs on: one symbol as it is, anything longer in braces. */
function baseOf(element: DomElement | undefined): string {
  if (element === undefined) return '{}';
  const tex = mathmlToTex(element);
  return /^(?:[^\s\\{}]|\\[a-z]+)$/i.test(tex) ? tex : `{${tex}}`;
}

function accentOf(element: DomElement | undefined): string | null {
  return element?.localName === 'mo' ? (accents[(element.textContent ?? '').trim()] ?? null) : null;
}
