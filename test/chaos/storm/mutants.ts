/**
 * `npm run chaos:mutants [-- --seed S] [--only NAME]`: first a control, a storm over an unchanged copy of the project;
 * then one over each mutant. Exit code 0 only if the control holds, and each mutant breaks an invariant that it names.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { aborted, interruptSignal } from '../../../apps/dev/interrupt.ts';
import { type Mutant, mutants, type Replacement } from './mutations.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));
/** All clients and faults but those that take long to start, with the floors of the short storm. */
const CONTROL = ['--minutes', '1.3', '--floors', 'short'];
/** A mutant that never comes to an end need not be waited for in full. */
const OF_MUTANTS = ['--floors', 'none', '--settle', '35'];

/** Copies the files that git knows of, with the packages by a link. */
async function copyProject(to: string): Promise<void> {
  const { stdout } = await promisify(execFile)('git', ['-C', project, 'ls-files', '-z'], { maxBuffer: 2 ** 26 });
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(project, file), join(to, file));
  }
  await symlink(join(project, 'node_modules'), join(to, 'node_modules'));
}

/** @throws where the text does not stand in the file exactly once. */
async function mutate(folder: string, { file, find, replace }: Replacement): Promise<void> {
  const path = join(folder, file);
  const parts = (await readFile(path, 'utf8')).split(find);
  if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times: ${find}`);
  await writeFile(path, parts.join(replace));
}

interface Run {
  printed: string;
  exitCode: number | null;
  /** The broken invariants with their first violation, `floors` among them. */
  broken: Map<string, string>;
}

/** Runs a storm over a changed copy. */
async function runStorm(
  replacements: readonly Replacement[],
  args: readonly string[],
  interrupted: AbortSignal,
): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'context-workspace-mutant-'));
  try {
    await copyProject(folder);
    for (const replacement of replacements) await mutate(folder, replacement);
    const child = spawn(process.execPath, [join(folder, 'test/chaos/storm/main.ts'), ...args], {
      // Data that a broken storm keeps go with the copy, which is no repository of git's.
      env: { ...process.env, TMPDIR: folder, STORM_REPOSITORY: project },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    void aborted(interrupted).then(() => child.kill('SIGTERM'));
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const broken = [...printed.matchAll(/^BROKEN +(.*)\n +(.*)/gm)];
    const missed = /^PROVED NOTHING (.*)/m.exec(printed)?.[1];
    return {
      ...{ printed, exitCode: child.exitCode },
      broken: new Map([
        ...broken.map(([, name = '', first = '']) => [name, first] as const),
        ...(missed === undefined ? [] : [['floors', missed] as const]),
      ]),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, only: { type: 'string', default: '' } },
});
const interrupted = interruptSignal();
const seed = ['--seed', values.seed];
const say = (line: string) => process.stdout.write(`${line}\n`);

/** Whether the storm breaks nothing where nothing was changed. */
async function control(): Promise<boolean> {
  const { exitCode, printed } = await runStorm([], [...CONTROL, ...seed], interrupted);
  say(
    exitCode === 0
      ? 'holds    the control, without a mutation'
      : `BROKEN   the control, without a mutation\n${printed}`,
  );
  return exitCode === 0;
}

/** Whether the storm over a mutant breaks an invariant that the mutant names. */
async function isCaught(name: string, { replacements, options, caughtBy }: Mutant): Promise<boolean> {
  const run = await runStorm(replacements, [...OF_MUTANTS, ...options, ...seed], interrupted);
  const caught = run.exitCode === 1 && caughtBy.some((invariant) => run.broken.has(invariant));
  say(`${caught ? 'caught   ' : 'SURVIVED '}${name}`);
  if (!caught) say(`         not broken: ${caughtBy.join(' or ')}\n${run.printed}`);
  for (const [invariant, first] of run.broken)
    say(`         ${caughtBy.some((name) => name === invariant) ? 'by' : 'and'} ${invariant}: ${first}`);
  return caught;
}

let allHold = values.only !== '' || (await control());
for (const [name, mutant] of Object.entries(mutants).filter(([title]) => title.includes(values.only))) {
  if (interrupted.aborted) break;
  allHold = (await isCaught(name, mutant)) && allHold;
}
process.exit(interrupted.aborted ? 130 : allHold ? 0 : 1);
