/** Output of `--help`. */
import { type AnyCommand, optionsOf } from './command.ts';

const common = [
  ['--json', 'print the result as JSON'],
  ['--help', 'print this help'],
];

function columns(rows: string[][]): string {
  const width = Math.max(...rows.map(([first = '']) => first.length));
  return rows.map(([first = '', second = '']) => `  ${first.padEnd(width)}  ${second}`.trimEnd()).join('\n');
}

/** Returns the help for `commands`. */
export function helpOf(commands: readonly AnyCommand[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary]);
  return `Usage: npm run admin -- COMMAND [OPTIONS]

Commands:
${columns(rows)}

"npm run admin -- COMMAND --help" shows the options of a command. DATABASE_URL names the database.
Exit codes: 0 success, 1 failure, 64 invalid usage.
`;
}

/** Returns the help for one command. */
export function helpOfCommand(command: AnyCommand): string {
  const options = optionsOf(command);
  const usage = options.map(({ usage, required }) => (required ? usage : `[${usage}]`));
  return `Usage: npm run admin -- ${[command.name, ...usage, '[--json]'].join(' ')}

${command.summary}

Options:
${columns([...options.map(({ usage, description }) => [usage, description]), ...common])}
`;
}
