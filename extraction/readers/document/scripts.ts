/** Superscript and subscript: "m²", "H₂O". */

const raised: Readonly<Record<string, string>> = pairs('0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺-⁻−⁻=⁼(⁽)⁾nⁿiⁱ');
const lowered: Readonly<Record<string, string>> = pairs('0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊-₋−₋=₌(₍)₎');

function pairs(text: string): Record<string, string> {
  const characters = Array.from(text);
  const made: Record<string, string> = {};
  for (let at = 0; at + 1 < characters.length; at += 2) made[characters[at] ?? ''] = characters[at + 1] ?? '';
  return made;
}

/** The text in superscript or subscript characters, or unchanged where one of its characters has none ("1st"). */
export function scripted(text: string, script: 'super' | 'sub'): string {
  const table = script === 'super' ? raised : lowered;
  const characters = Array.from(text);
  return characters.every((character) => Object.hasOwn(table, character))
    ? characters.map((character) => table[character] ?? character).join('')
    : text;
}
