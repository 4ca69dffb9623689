/** A command line: its program and arguments, divided as a POSIX shell divides words. Nothing is expanded. */

export interface SimpleCommand {
  program: string;
  arguments: string[];
}

/** Prompts as documentation shows them: `$ `, `# `, `% `, `> ` and `user@host:~$ `. */
const prompt = /^\s*(?:[\w.-]+@[\w.-]+[^\s$#%]{0,200}\s?)?[$#%>]\s+/;
const assignment = /^[A-Za-z_]\w*=/;

/** Words and operators in order; an operator is a word of its own with `operator` set. */
function* wordsOf(line: string): Generator<{ text: string; operator: boolean }> {
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote !== null) {
      if (character === quote) quote = null;
      else if (character === '\\' && quote === '"' && /["\\$`]/.test(line.charAt(at + 1))) word += line.charAt(++at);
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (character === '\\') {
      word = (word ?? '') + line.charAt(++at);
    } else if (/\s/.test(character) || /[|&;]/.test(character)) {
      // `2>&1` and `&>file` are redirections, not ends of a command.
      if (character === '&' && (word?.endsWith('>') || line.charAt(at + 1) === '>')) {
        word = (word ?? '') + character;
        continue;
      }
      if (word !== null) yield { text: word, operator: false };
      word = null;
      if (/[|&;\n]/.test(character)) yield { text: character, operator: true };
    } else if (character === '#' && word === null) {
      const end = line.indexOf('\n', at);
      at = (end === -1 ? line.length : end) - 1;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (word !== null) yield { text: word, operator: false };
}

/** The first command's program and arguments, and all commands of the line in order. */
export function enrichCommand(content: string): {
  program: string | null;
  arguments: string[];
  commands: SimpleCommand[];
} {
  const text = content
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(prompt, ''))
    .join('\n');
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  const end = () => {
    const first = words.findIndex((word) => !assignment.test(word));
    const [program, ...rest] = first === -1 ? [] : words.slice(first);
    if (program !== undefined) commands.push({ program, arguments: rest });
    words = [];
  };
  for (const { text: word, operator } of wordsOf(text)) {
    if (operator) end();
    else words.push(word);
  }
  end();
  return { program: commands[0]?.program ?? null, arguments: commands[0]?.arguments ?? [], commands };
}
