/**
 * `npm run chaos:mutants [-- --minutes N] [--seed S] [--only NAME]`: takes one of the service's safeguards away in a
 * copy of the project, lets a storm go over it, and expects the storm to find out. Exit code 0 only if each is caught.
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

const project = fileURLToPath(new URL('../../../', import.meta.url));

interface Replacement {
  file: string;
  /** Stands there exactly once. */
  find: string;
  replace: string;
}

/** The postback's row as a statement of its own, after the one that ends the generation. */
const oweAfterwards = `const owe = statement(
  'owe-postback',
  \`insert into postbacks (id, source_id, generation_id, url, state, next_attempt_at, body)
   select gen_random_uuid(), s.id, g.id, s.instructions ->> 'postback_url', 'pending', now(), json_build_object(
     'type', 'source.' || lower(s.status), 'timestamp', now(),
     'data', json_build_object('id', s.id, 'generation', s.generation))::text
   from sources s join source_generations g on g.source_id = s.id and g.generation = s.generation
   where s.id = $1 and s.instructions ->> 'postback_url' is not null\`,
);

/**
 * Ends a generation.`;

const mutants: Record<string, Replacement[]> = {
  'no fence': [
    {
      file: 'db/transitions/end-generation.ts',
      find: "where id = $1 and generation = $2 and status in ('CREATED', 'PENDING', 'PROCESSING')",
      replace: 'where id = $1',
    },
  ],
  'no lease: a claimed command is never free again': [
    {
      file: 'apps/dispatcher/dispatcher.ts',
      find: 'const LEASE_SECONDS = 30;',
      replace: 'const LEASE_SECONDS = 1_000_000;',
    },
  ],
  'no reconciler': [
    { file: 'apps/api/main.ts', find: ' startReconciler(dispatching),', replace: '' },
    {
      file: 'apps/dispatcher/main.ts',
      find: 'startReconciler(deps)',
      replace: '{ stop: async () => undefined }',
    },
  ],
  'the postback row outside the transaction': [
    {
      file: 'db/transitions/end-generation.ts',
      find: "where source.instructions ->> 'postback_url' is not null\n",
      replace: 'where false\n',
    },
    { file: 'db/transitions/end-generation.ts', find: '/**\n * Ends a generation.', replace: oweAfterwards },
    {
      file: 'db/transitions/end-generation.ts',
      find: '  return row !== null;\n',
      replace: '  if (row !== null) await queryOne(session, owe, [sourceId]);\n  return row !== null;\n',
    },
  ],
  'object keys without the attempt': [
    {
      file: 'activities/fetch-content.ts',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a file.
      find: '/${randomUUID()}/',
      replace: '/00000000-0000-0000-0000-000000000000/',
    },
  ],
  'a cancel that only signals': [
    {
      file: 'db/transitions/cancel-source.ts',
      find: "if (await endGeneration(session, publicUrl, { sourceId, generation: present.generation }, { status: 'CANCELED' })) {",
      replace: "if (['CREATED', 'PENDING', 'PROCESSING'].includes(present.status)) {",
    },
  ],
};

/** Copies what git knows of, with the packages by a link. */
async function copyProject(to: string): Promise<void> {
  const { stdout } = await promisify(execFile)('git', ['-C', project, 'ls-files', '-z'], { maxBuffer: 2 ** 26 });
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(project, file), join(to, file));
  }
  await symlink(join(project, 'node_modules'), join(to, 'node_modules'));
}

async function mutate(folder: string, { file, find, replace }: Replacement): Promise<void> {
  const path = join(folder, file);
  const parts = (await readFile(path, 'utf8')).split(find);
  if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times: ${find}`);
  await writeFile(path, parts.join(replace));
}

/** Runs the storm over a mutant and returns what it printed, and whether it found something. */
async function judge(replacements: Replacement[], args: readonly string[], interrupted: AbortSignal) {
  const folder = await mkdtemp(join(tmpdir(), 'context-workspace-mutant-'));
  try {
    await copyProject(folder);
    for (const replacement of replacements) await mutate(folder, replacement);
    const child = spawn(process.execPath, [join(folder, 'test/chaos/storm/main.ts'), ...args], {
      // Data that a broken storm keeps go with the copy.
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    void aborted(interrupted).then(() => child.kill('SIGTERM'));
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const broken = [...printed.matchAll(/^BROKEN +(.*)\n +(.*)/gm)].map(([, name = '', first = '']) => ({
      name,
      first,
    }));
    return { printed, isCaught: child.exitCode === 1 && broken.length > 0, broken };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
const interrupted = interruptSignal();
let allCaught = true;
for (const [name, replacements] of Object.entries(mutants).filter(([title]) => title.includes(values.only))) {
  if (interrupted.aborted) break;
  const args = ['--minutes', values.minutes, '--seed', values.seed];
  const { isCaught, broken, printed } = await judge(replacements, args, interrupted);
  process.stdout.write(`${isCaught ? 'caught  ' : 'SURVIVED'} ${name}\n`);
  for (const { name: invariant, first } of broken) process.stdout.write(`           ${invariant}: ${first}\n`);
  if (!isCaught) process.stdout.write(printed);
  allCaught &&= isCaught;
}
process.exit(interrupted.aborted ? 130 : allCaught ? 0 : 1);
