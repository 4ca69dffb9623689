/** Definition of an admin command, and parsing of its options. */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Database } from '../../db/orm.ts';

/** Result of a command: `data` is printed with `--json`, `text` without. */
export interface Outcome {
  data: Readonly<Record<string, unknown>>;
  text: string;
}

export interface Command<Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** Noun and verb: `user create`. */
  name: string;
  summary: string;
  /** One field for each option. `--help` shows `value` and `description` of its metadata. */
  options: z.ZodObject<Shape>;
  /** Option that may also be given as a positional argument: `user delete ADDRESS`. */
  positional?: keyof Shape & string;
  run(database: Database, options: z.infer<z.ZodObject<Shape>>): Promise<Outcome>;
}

/** A command with its options' types erased. */
export interface AnyCommand extends Pick<Command, 'name' | 'summary' | 'options' | 'positional'> {
  /** Parses the options; the returned function runs the command. @throws UsageError for invalid options. */
  prepare(args: string[]): (database: Database) => Promise<Outcome>;
}

/** Invalid command line: exit code 64 (EX_USAGE of sysexits.h). */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A valid command failed: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Declares a command. */
export function defineCommand<Shape extends z.ZodRawShape>(command: Command<Shape>): AnyCommand {
  return {
    name: command.name,
    summary: command.summary,
    options: command.options,
    ...(command.positional === undefined ? {} : { positional: command.positional }),
    prepare(args) {
      const options = parseOptions(command.options, args, command.positional);
      return (database) => command.run(database, options);
    },
  };
}

/** Returns the schema inside `optional` and `default`. */
function unwrap(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? unwrap(schema.def.innerType) : schema;
}

function isFlag(schema: unknown): boolean {
  return unwrap(schema) instanceof z.ZodBoolean;
}

function parseOptions<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, args: string[], positional?: string) {
  const options = Object.fromEntries(
    Object.entries(schema.shape).map(([name, field]) => [
      name,
      { type: isFlag(field) ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  let values: Record<string, unknown>;
  try {
    const parsed = parseArgs({ args, options, allowPositionals: positional !== undefined });
    values = { ...parsed.values };
    const [first, ...more] = parsed.positionals;
    if (positional !== undefined && first !== undefined) {
      if (more.length > 0 || values[positional] !== undefined)
        throw new Error(`Unexpected argument '${more[0] ?? first}'.`);
      values[positional] = first;
    }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const given = Object.keys(values);
  const lines = result.error.issues.map(({ path: [name = ''], message }) =>
    given.includes(String(name)) ? `--${String(name)}: ${message}` : `--${String(name)} is required.`,
  );
  throw new UsageError(lines.join('\n'));
}

const optionMeta = z.object({ value: z.string().default('VALUE'), description: z.string().default('') });

/** Returns the options of a command for its help. */
export function optionsOf({ options, positional }: Pick<AnyCommand, 'options' | 'positional'>) {
  return Object.entries(options.shape).map(([name, field]) => {
    const { value, description } = optionMeta.parse(z.globalRegistry.get(field) ?? {});
    const usage = isFlag(field) ? `--${name}` : name === positional ? value : `--${name} ${value}`;
    return { usage, description, required: !z.safeParse(field, undefined).success };
  });
}

/** Formats rows as a text table with aligned columns below `headings`. */
export function table(headings: string[], rows: string[][]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
