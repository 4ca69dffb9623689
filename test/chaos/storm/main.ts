/**
 * `npm run chaos -- [--minutes N] [--seed S] [--floors long|short|none] [--faults LIST] [--without LIST]
 * [--clients LIST] [--settle SECONDS] [--keep]`: injects random faults under load, then checks invariants. Exit code 0
 * only if all invariants hold and every floor is reached.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { interruptSignal } from '../../../apps/dev/interrupt.ts';
import { createUser } from '../../../db/transitions/users/create-user.ts';
import { awaitEnd } from './await-end.ts';
import { clientActions, startClients } from './clients.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { type FinalState, type Owner, readFinalState } from './final-state.ts';
import { countAccepted, countAll, type FloorSet, floorSets, isBelow, LONG_MINUTES, missedFloors } from './floors.ts';
import { createHistory, markLostAsUnknown } from './history.ts';
import { invariants } from './invariants/index.ts';
import { faultKinds, runNemesis } from './nemesis.ts';
import { observe, sequencesOf } from './observers.ts';
import { startOutside } from './outside.ts';
import { reportLines } from './report.ts';
import { sendRequest } from './requests.ts';

const USERS = 3;
const CLIENTS_OF_A_USER = 2;
/** Recovery takes up to 60 s once all processes run again, plus the longest retry interval of an activity, 30 s. */
const SETTLE_SECONDS = 60 + 30;
/** Extra time after the faults for actions below their floor, since their responses may have been lost repeatedly. */
const EXTRA_MS = 20_000;
/** Violations that are printed for each invariant. */
const MAX_SHOWN_VIOLATIONS = 10;

function commaSeparated<const Name extends string>(names: readonly Name[]) {
  const list = z.string().transform((text) => text.split(',').filter((name) => name !== ''));
  return list.pipe(z.array(z.enum(names)));
}

const optionsSchema = z.object({
  minutes: z.coerce.number().positive().default(2),
  seed: z.coerce
    .number()
    .int()
    .min(0)
    .default(() => randomInt(1_000_000)),
  floors: z.enum(floorSets).optional(),
  faults: commaSeparated(faultKinds).default([...faultKinds]),
  without: commaSeparated(faultKinds).default([]),
  clients: commaSeparated(clientActions).default([...clientActions]),
  settle: z.coerce.number().positive().default(SETTLE_SECONDS),
  /** Keeps logs and data even if every invariant holds. */
  keep: z.boolean().default(false),
});
type Options = z.infer<typeof optionsSchema>;

const floorsOf = ({ floors, minutes }: Options): FloorSet => floors ?? (minutes >= LONG_MINUTES ? 'long' : 'short');

const print = (line: string) => process.stdout.write(`${line}\n`);

async function newUser({ apiUrl, apiUrls, database }: Cluster, at: number): Promise<Owner> {
  const email = `storm-${at}@example.com`;
  const { userId, key } = await createUser(database.pool, { email, name: 'Storm', plan: 'pro' });
  const newSpace = async (name: string): Promise<string> => {
    const response = await sendRequest(apiUrl, key, 'POST', '/v1/spaces', { name });
    return response?.body.data.id;
  };
  const secret = await sendRequest(apiUrl, key, 'GET', '/v1/postback-secret');
  const spaces = { main: await newSpace('Main'), side: await newSpace('Side') };
  return { apiUrls, key, userId, spaces, secret: secret?.body.data.secret };
}

/** Runs clients and faults against a cluster and returns the final state. */
async function runChaos(
  cluster: Cluster,
  outside: Awaited<ReturnType<typeof startOutside>>,
  options: Options,
  interrupted: AbortSignal,
): Promise<{ state: FinalState; endedMs: number }> {
  const { minutes, seed, faults: named, without, clients: actions, settle } = options;
  const history = createHistory(join(cluster.folder, 'history.jsonl'));
  const users: Owner[] = [];
  for (let at = 1; at <= USERS; at++) users.push(await newUser(cluster, at));

  print(`Injecting random faults under load for ${minutes * 60} s. Logs: ${cluster.folder}`);
  const observers = users.flatMap((user) => [observe(user, user.spaces.main), observe(user, user.spaces.side)]);
  const over = AbortSignal.any([interrupted, AbortSignal.timeout(minutes * 60_000)]);
  const last = AbortSignal.any([interrupted, AbortSignal.timeout(minutes * 60_000 + EXTRA_MS)]);
  const floors = floorsOf(options);
  const isMissing = (floor: string) => isBelow(floors, floor, countAccepted(history));
  const clients = startClients(
    { users, count: CLIENTS_OF_A_USER, seed, history, outside, actions, isBelow: isMissing },
    over,
    last,
  );
  const kinds = named.filter((kind) => !without.includes(kind));
  const [faults] = await Promise.all([runNemesis({ cluster, history, seed, kinds }, over), clients.done]);
  interrupted.throwIfAborted();

  print('Faults have ended and all processes run. Waiting until nothing is pending.');
  const backAt = Date.now();
  outside.stopFailures();
  const withinMs = settle * 1_000;
  await clients.retryUnanswered(AbortSignal.any([interrupted, AbortSignal.timeout(withinMs)]));
  // The last deletions are purged after the retention time.
  const ended = await awaitEnd(cluster, backAt, withinMs + cluster.retentionMs, interrupted);
  // Lets the observers receive the last changes.
  await delay(500);
  await Promise.all(observers.map((observer) => observer.stop()));
  markLostAsUnknown(history);
  const state = await readFinalState(cluster, users, {
    ...{ history, faults, served: outside.served, received: outside.received, pending: ended.pending },
    seen: [
      ...observers.flatMap(({ seen }) => [...seen].map(([id, states]) => ({ id, states }))),
      ...sequencesOf(history),
    ],
  });
  return { state, endedMs: ended.ms };
}

/** Prints the report, the invariants and the missed floors. Returns whether all hold and none is missed. */
function check(state: FinalState, endedMs: number, options: Options): boolean {
  const counts = countAll(state);
  for (const line of reportLines(state, counts, endedMs)) print(line);
  let holds = true;
  for (const [name, violationsIn] of Object.entries(invariants)) {
    const violations = violationsIn(state);
    print(`${violations.length === 0 ? 'holds   ' : 'BROKEN  '} ${name}`);
    for (const violation of violations.slice(0, MAX_SHOWN_VIOLATIONS)) print(`           ${violation}`);
    if (violations.length > MAX_SHOWN_VIOLATIONS) {
      print(`           and ${violations.length - MAX_SHOWN_VIOLATIONS} more`);
    }
    holds &&= violations.length === 0;
  }
  const missed = missedFloors(floorsOf(options), counts);
  for (const line of missed) print(line);
  return holds && missed.length === 0;
}

/** Returns whether all invariants hold and every floor is reached. */
async function run(options: Options, interrupted: AbortSignal): Promise<boolean> {
  const { seed, faults, without } = options;
  const isOn = (kind: (typeof faultKinds)[number]) => faults.includes(kind) && !without.includes(kind);
  const outside = await startOutside(seed);
  let cluster: Cluster | undefined;
  let holds = false;
  try {
    print(`Seed ${seed}: starting the service.`);
    const kinds = {
      ...{ standby: isOn('failovers'), twoVersions: isOn('two versions'), clocksApart: isOn('clocks apart') },
    };
    cluster = await startCluster({ sitePort: outside.port, ...kinds }, interrupted);
    const { state, endedMs } = await runChaos(cluster, outside, options, interrupted);
    holds = check(state, endedMs, options);
  } finally {
    await cluster?.stop({ keepFolder: options.keep || (!holds && !interrupted.aborted) });
    await outside.close();
    if (!holds && !interrupted.aborted) {
      print(`To repeat: npm run chaos -- ${process.argv.slice(2).join(' ')} (seed ${seed})`);
      if (cluster !== undefined) print(`Logs and data are in ${cluster.folder}`);
    }
  }
  return holds;
}

const { values } = parseArgs({
  options: {
    ...{
      minutes: { type: 'string' },
      seed: { type: 'string' },
      floors: { type: 'string' },
      faults: { type: 'string' },
    },
    ...{ without: { type: 'string' }, clients: { type: 'string' }, settle: { type: 'string' } },
    keep: { type: 'boolean' },
  },
});
const interrupted = interruptSignal();
const holds = await run(optionsSchema.parse(values), interrupted).catch((error: unknown) => {
  if (!interrupted.aborted) console.error(error);
  return false;
});
process.exit(interrupted.aborted ? 130 : holds ? 0 : 1);
