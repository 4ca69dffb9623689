/**
 * `npm run chaos:mutants [-- --seed S] [--only NAME]`: runs the chaos test first against an unchanged copy of the
 * project (the control), then against each mutant, a copy with one safeguard removed. Exit code 0 only if the control
 * passes and each mutant breaks an invariant that it names.
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
/** Options of the control: 1.3 minutes with all clients, all faults and the floors of short runs. */
const CONTROL = ['--minutes', '1.3', '--floors', 'short'];
/** Options of mutants. Those that leave work pending for ever are not given the full settling time. */
const MUTANT_OPTIONS = ['--floors', 'none', '--settle', '35'];

/** Copies the files tracked by git and links node_modules. */
async function copyProject(to: string): Promise<void> {
  const { stdout } = await promisify(execFile)('git', ['-C', project, 'ls-files', '-z'], { maxBuffer: 2 ** 26 });
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(project, file), join(to, file));
  }
  await symlink(join(project, 'node_modules'), join(to, 'node_modules'));
}

/** @throws when the file does not contain the text exactly once. */
async function mutate(folder: string, { file, find, replace }: Replacement): Promise<void> {
  const path = join(folder, file);
  const parts = (await readFile(path, 'utf8')).split(find);
  if (parts.length !== 2) throw new Error(`${file} contains this text ${parts.length - 1} times, not once: ${find}`);
  await writeFile(path, parts.join(replace));
}

interface Run {
  printed: string;
  exitCode: number | null;
  /** First violation by broken invariant; a missed floor is under `floors`. */
  broken: Map<string, string>;
}

/** Runs the chaos test against a copy of the project with the replacements. */
async function runChaos(
  replacements: readonly Replacement[],
  args: readonly string[],
  interrupted: AbortSignal,
): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'context-workspace-mutant-'));
  try {
    await copyProject(folder);
    for (const replacement of replacements) await mutate(folder, replacement);
    const child = spawn(process.execPath, [join(folder, 'test/chaos/storm/main.ts'), ...args], {
      // Kept data is removed with the copy. The copy is not a git repository, so the earlier version comes from here.
      env: { ...process.env, TMPDIR: folder, STORM_REPOSITORY: project },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    void aborted(interrupted).then(() => child.kill('SIGTERM'));
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const broken = [...printed.matchAll(/^BROKEN +(.*)\n +(.*)/gm)];
    const missed = /^BELOW FLOOR (.*)/m.exec(printed)?.[1];
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
const print = (line: string) => process.stdout.write(`${line}\n`);

/** Returns whether an unchanged copy passes. */
async function control(): Promise<boolean> {
  const { exitCode, printed } = await runChaos([], [...CONTROL, ...seed], interrupted);
  print(exitCode === 0 ? 'holds    control, without a mutation' : `BROKEN   control, without a mutation\n${printed}`);
  return exitCode === 0;
}

/** Returns whether the mutant breaks an invariant that it names. */
async function isCaught(name: string, { replacements, options, caughtBy }: Mutant): Promise<boolean> {
  const run = await runChaos(replacements, [...MUTANT_OPTIONS, ...options, ...seed], interrupted);
  const caught = run.exitCode === 1 && caughtBy.some((invariant) => run.broken.has(invariant));
  print(`${caught ? 'caught   ' : 'SURVIVED '}${name}`);
  if (!caught) print(`         expected to break: ${caughtBy.join(' or ')}\n${run.printed}`);
  for (const [invariant, first] of run.broken)
    print(`         ${caughtBy.some((name) => name === invariant) ? 'by' : 'and'} ${invariant}: ${first}`);
  return caught;
}

let allHold = values.only !== '' || (await control());
for (const [name, mutant] of Object.entries(mutants).filter(([title]) => title.includes(values.only))) {
  if (interrupted.aborted) break;
  allHold = (await isCaught(name, mutant)) && allHold;
}
process.exit(interrupted.aborted ? 130 : allHold ? 0 : 1);
