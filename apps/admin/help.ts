/** What `--help` prints. */
import { type AnyCommand, optionsOf } from './command.ts';

const common = [
  ['--json', 'print the outcome as JSON'],
  ['--help', 'print this'],
];

function columns(rows: string[][]): string {
  const width = Math.max(...rows.map(([first = '']) => first.length));
  return rows.map(([first = '', second = '']) => `  ${first.padEnd(width)}  ${second}`.trimEnd()).join('\n');
}

/** All commands, or those of one noun. */
export function helpOf(commands: readonly AnyCommand[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary]);
  return `Usage: npm run admin -- COMMAND [OPTIONS]

Commands:
${columns(rows)}

"npm run admin -- COMMAND --help" shows the options of one. The database is DATABASE_URL.
Exit codes: 0 done, 1 failed, 64 wrong usage.
`;
}

/** One command with its options. */
export function helpOfCommand(command: AnyCommand): string {
  const options = optionsOf(command);
  const usage = options.map(({ usage, required }) => (required ? usage : `[${usage}]`));
  return `Usage: npm run admin -- ${[command.name, ...usage, '[--json]'].join(' ')}

${command.summary}

Options:
${columns([...options.map(({ usage, description }) => [usage, description]), ...common])}
`;
}
