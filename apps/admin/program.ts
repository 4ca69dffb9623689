/** The command line of all commands. */
import { Command } from 'commander';
import type { Execute } from './command.ts';
import { commands } from './commands/index.ts';

const COMMAND_LINE = 'npm run admin --';

/** Returns the parser. It throws a CommanderError for an invalid command line and after help. */
export function createProgram(execute: Execute): Command {
  const program: Command = new Command(COMMAND_LINE)
    .usage('COMMAND [OPTIONS]')
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    .showHelpAfterError()
    .exitOverride()
    .configureHelp({
      visibleCommands: (command) => command.commands.flatMap((child) => (command === program ? child.commands : child)),
      subcommandTerm: (command) => `${command.parent?.name()} ${command.name()}`,
    })
    .addHelpText(
      'after',
      `\n"${COMMAND_LINE} COMMAND --help" shows the options of a command. DATABASE_URL names the database.
Exit codes: 0 success, 1 failure, 64 invalid usage.`,
    );
  for (const add of commands) add(program, execute);
  for (const command of [program, ...program.commands]) {
    const noun = command === program ? '' : `${command.name()} `;
    command.on('command:*', ([name]: string[]) => command.error(`There is no command "${noun}${name}".`));
  }
  return program;
}
