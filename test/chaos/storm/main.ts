/**
 * `npm run chaos -- [--minutes N] [--seed S] [--floors long|short|none] [--faults LIST] [--without LIST]
 * [--clients LIST] [--settle SECONDS] [--keep]`: clients act at random while faults happen; then everything comes back,
 * and the invariants are checked. Exit code 0 only if all of them hold and no floor was missed.
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
import { belowFloors, countAccepted, countAll, type FloorSet, floorSets, isBelow, LONG_MINUTES } from './floors.ts';
import { createHistory, forgetLost } from './history.ts';
import { invariants } from './invariants/index.ts';
import { faultKinds, runNemesis } from './nemesis.ts';
import { observe, sequencesOf } from './observers.ts';
import { startOutside } from './outside.ts';
import { tableOf } from './report.ts';
import { ask } from './requests.ts';

const USERS = 3;
const CLIENTS_OF_A_USER = 2;
/** The service's promise of a minute after the processes are back, and the longest pause between tries of a step. */
const SETTLE_SECONDS = 60 + 30;
/** After the faults, for actions whose floor was not reached: an answer may get lost again and again. */
const EXTRA_MS = 20_000;
/** More of one kind say nothing more. */
const SHOWN_VIOLATIONS = 10;

function listOf<const Name extends string>(names: readonly Name[]) {
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
  faults: listOf(faultKinds).default([...faultKinds]),
  without: listOf(faultKinds).default([]),
  clients: listOf(clientActions).default([...clientActions]),
  settle: z.coerce.number().positive().default(SETTLE_SECONDS),
  /** Keeps logs and data also where everything held. */
  keep: z.boolean().default(false),
});
type Options = z.infer<typeof optionsSchema>;

const floorsOf = ({ floors, minutes }: Options): FloorSet => floors ?? (minutes >= LONG_MINUTES ? 'long' : 'short');

const say = (line: string) => process.stdout.write(`${line}\n`);

async function newUser({ apiUrl, apiUrls, database }: Cluster, at: number): Promise<Owner> {
  const email = `storm-${at}@example.com`;
  const { userId, key } = await createUser(database.pool, { email, name: 'Storm', plan: 'pro' });
  const newSpace = async (name: string): Promise<string> => {
    const answer = await ask(apiUrl, key, 'POST', '/v1/spaces', { name });
    return answer?.body.data.id;
  };
  const secret = await ask(apiUrl, key, 'GET', '/v1/postback-secret');
  const spaces = { main: await newSpace('Main'), side: await newSpace('Side') };
  return { apiUrls, key, userId, spaces, secret: secret?.body.data.secret };
}

/** Runs clients and faults over a cluster and returns the state after them. */
async function runStorm(
  cluster: Cluster,
  outside: Awaited<ReturnType<typeof startOutside>>,
  options: Options,
  interrupted: AbortSignal,
): Promise<{ state: FinalState; endedMs: number }> {
  const { minutes, seed, faults: named, without, clients: actions, settle } = options;
  const history = createHistory(join(cluster.folder, 'history.jsonl'));
  const users: Owner[] = [];
  for (let at = 1; at <= USERS; at++) users.push(await newUser(cluster, at));

  say(`The storm begins: ${minutes * 60} s. Logs are in ${cluster.folder}.`);
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

  say('All processes are up again. Waiting until nothing is pending.');
  const backAt = Date.now();
  outside.calm();
  const withinMs = settle * 1_000;
  await clients.askAgain(AbortSignal.any([interrupted, AbortSignal.timeout(withinMs)]));
  // The last deletions are purged when their time is over.
  const ended = await awaitEnd(cluster, backAt, withinMs + cluster.retentionMs, interrupted);
  // The last changes are to be seen, too.
  await delay(500);
  await Promise.all(observers.map((observer) => observer.stop()));
  forgetLost(history);
  const state = await readFinalState(cluster, users, {
    ...{ history, faults, served: outside.served, received: outside.received, pending: ended.pending },
    seen: [
      ...observers.flatMap(({ seen }) => [...seen].map(([id, states]) => ({ id, states }))),
      ...sequencesOf(history),
    ],
  });
  return { state, endedMs: ended.ms };
}

/** Prints the invariants and floors, and returns whether all of them hold. */
function check(state: FinalState, endedMs: number, options: Options): boolean {
  const counts = countAll(state);
  for (const line of tableOf(state, counts, endedMs)) say(line);
  let holds = true;
  for (const [name, violationsIn] of Object.entries(invariants)) {
    const violations = violationsIn(state);
    say(`${violations.length === 0 ? 'holds   ' : 'BROKEN  '} ${name}`);
    for (const violation of violations.slice(0, SHOWN_VIOLATIONS)) say(`           ${violation}`);
    if (violations.length > SHOWN_VIOLATIONS) say(`           and ${violations.length - SHOWN_VIOLATIONS} more`);
    holds &&= violations.length === 0;
  }
  const missed = belowFloors(floorsOf(options), counts);
  for (const line of missed) say(line);
  return holds && missed.length === 0;
}

/** Returns whether everything held. */
async function run(options: Options, interrupted: AbortSignal): Promise<boolean> {
  const { seed, faults, without } = options;
  const isOn = (kind: (typeof faultKinds)[number]) => faults.includes(kind) && !without.includes(kind);
  const outside = await startOutside(seed);
  let cluster: Cluster | undefined;
  let holds = false;
  try {
    say(`Seed ${seed}: starting the service.`);
    const kinds = {
      ...{ standby: isOn('failovers'), twoVersions: isOn('two versions'), clocksApart: isOn('clocks apart') },
    };
    cluster = await startCluster({ sitePort: outside.port, ...kinds }, interrupted);
    const { state, endedMs } = await runStorm(cluster, outside, options, interrupted);
    holds = check(state, endedMs, options);
  } finally {
    await cluster?.stop({ keepFolder: options.keep || (!holds && !interrupted.aborted) });
    await outside.close();
    if (!holds && !interrupted.aborted) {
      say(`To run it again: npm run chaos -- ${process.argv.slice(2).join(' ')} (seed ${seed})`);
      if (cluster !== undefined) say(`Logs and data are kept in ${cluster.folder}`);
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
