/** LaTeX for characters of formulas. */

const commands: Readonly<Record<string, string>> = {
  ...named(
    'α alpha β beta γ gamma δ delta ε varepsilon ϵ epsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa λ lambda μ mu',
    'ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega',
    'Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega',
    '± pm ∓ mp × times ÷ div ⋅ cdot · cdot ∗ ast ∘ circ ∙ bullet ⊕ oplus ⊗ otimes ⊖ ominus',
    '≤ leq ≥ geq ≠ neq ≈ approx ≡ equiv ≅ cong ∼ sim ≃ simeq ∝ propto ≪ ll ≫ gg ≺ prec ≻ succ',
    '∈ in ∉ notin ∋ ni ⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ∪ cup ∩ cap ∅ emptyset ∖ setminus',
    '∀ forall ∃ exists ∄ nexists ¬ neg ∧ land ∨ lor ⊥ perp ∥ parallel ∣ mid ⊢ vdash ⊨ models ⊤ top',
    '→ to ← leftarrow ↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ↦ mapsto ↑ uparrow ↓ downarrow',
    '⟶ longrightarrow ⟹ implies ⟺ iff ⇌ rightleftharpoons',
    '∞ infty ∂ partial ∇ nabla ℏ hbar ℓ ell ℜ Re ℑ Im ℵ aleph ∠ angle △ triangle □ square … ldots ⋯ cdots ⋮ vdots ⋱ ddots',
    '∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ⋃ bigcup ⋂ bigcap ⋁ bigvee ⋀ bigwedge ⨁ bigoplus ⨂ bigotimes',
    '⟨ langle ⟩ rangle 〈 langle 〉 rangle ⌈ lceil ⌉ rceil ⌊ lfloor ⌋ rfloor ‖ Vert ∴ therefore ∵ because † dagger ‡ ddagger',
  ),
  '{': '\\{',
  '}': '\\}',
  '%': '\\%',
  '#': '\\#',
  $: '\\$',
  '&': '\\&',
  _: '\\_',
  '~': '\\sim',
  '\\': '\\backslash',
  // A bar would end the cell of a table.
  '|': '\\vert',
  '−': '-',
  '′': "'",
  '″': "''",
  '‴': "'''",
  ℝ: '\\mathbb{R}',
  ℕ: '\\mathbb{N}',
  ℤ: '\\mathbb{Z}',
  ℚ: '\\mathbb{Q}',
  ℂ: '\\mathbb{C}',
  '°': '^{\\circ}',
  '\u2003': '\\quad',
  '\u2061': '',
  '\u2062': '',
  '\u2063': '',
  '\u200b': '',
};

/** Accents by their combining character or its substitute. */
const accents: Readonly<Record<string, string>> = {
  '\u0302': 'hat',
  '^': 'hat',
  '\u0303': 'tilde',
  '~': 'tilde',
  '\u0304': 'bar',
  '\u0305': 'overline',
  '¯': 'bar',
  '‾': 'overline',
  '\u0307': 'dot',
  '˙': 'dot',
  '\u0308': 'ddot',
  '¨': 'ddot',
  '\u20db': 'dddot',
  '\u0306': 'breve',
  '\u030c': 'check',
  '\u0301': 'acute',
  '\u0300': 'grave',
  '\u20d7': 'vec',
  '→': 'vec',
  '\u20d6': 'overleftarrow',
  '\u0332': 'underline',
  '⏞': 'overbrace',
  '⏟': 'underbrace',
};

const functionNames = new Set(
  (
    'sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp lim max min sup inf det dim ker deg ' +
    'gcd arg hom Pr limsup liminf'
  ).split(' '),
);

function named(...lines: string[]): Record<string, string> {
  const words = lines.join(' ').split(' ');
  const made: Record<string, string> = {};
  for (let at = 0; at + 1 < words.length; at += 2) made[words[at] ?? ''] = `\\${words[at + 1]}`;
  return made;
}

/** LaTeX of characters; letters of mathematical alphabets become ordinary letters. */
export function latexOf(text: string): string {
  let latex = '';
  for (const character of text) {
    const command = commandOf(character) ?? commandOf(character.normalize('NFKC'));
    if (command === undefined) latex += character.normalize('NFKC');
    else latex += /^\\[A-Za-z]+$/.test(command) ? `${command} ` : command;
  }
  return latex.replace(/[\s\u2000-\u200a]+/g, ' ');
}

function commandOf(character: string): string | undefined {
  return Object.hasOwn(commands, character) ? commands[character] : undefined;
}

/** The accent's command without its backslash, or null for another character. */
export function accentOf(character: string): string | null {
  return Object.hasOwn(accents, character) ? (accents[character] ?? null) : null;
}

/** A function's name, upright: "\sin", "\operatorname{rank}". */
export function functionOf(name: string): string {
  const plain = name.normalize('NFKC').trim();
  if (functionNames.has(plain)) return `\\${plain}`;
  return /^[\p{L}\p{N} ]+$/u.test(plain) ? `\\operatorname{${plain}}` : latexOf(plain);
}

/** Words within a formula. */
export function textCommand(text: string): string {
  return `\\text{${text
    .replace(/\\/g, '\\backslash ')
    .replace(/[{}%#$&_]/g, '\\$&')
    .replace(/\|/g, '/')}}`;
}

/** A bracket for `\left` or `\right`; "." for an empty one. */
export function fenceOf(character: string): string {
  if (character === '') return '.';
  const latex = latexOf(character).trim();
  return latex === '\\vert' || !/^[\p{L}\p{N}]/u.test(latex) ? latex : '.';
}

/** An argument in braces. */
export function braced(latex: string): string {
  return `{${latex.trim()}}`;
}

/** The base of a script, in braces unless it is one letter, digit or command. */
export function scriptBase(latex: string): string {
  const base = latex.trim();
  // No braces needed around brackets.
  if (/^\([^()]*\)$/.test(base)) return base;
  return /^(?:[^\s\\{}^_]|\\[A-Za-z]+)$/u.test(base) ? base : `{${base}}`;
}

/** The LaTeX on one line, without unneeded spaces. */
export function tidy(latex: string): string {
  return latex
    .replace(/\s+/g, ' ')
    .replace(/ (?=[}^_,)\]])/g, '')
    .replace(/([{(]) /g, '$1')
    .trim();
}
