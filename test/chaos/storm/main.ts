/**
 * `npm run chaos -- [--minutes N] [--seed S] [--settle SECONDS] [--keep]`: clients act at random while parts of the service are
 * killed and paused; then everything comes back, and what must hold is looked at. Exit code 0 only if all of it holds.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { interruptSignal } from '../../../apps/dev/interrupt.ts';
import { createUser } from '../../../db/transitions/create-user.ts';
import { ask, type StormUser, startClients } from './clients.ts';
import { gather } from './evidence.ts';
import { invariants } from './invariants/index.ts';
import { createLedger } from './ledger.ts';
import { observe } from './observers.ts';
import { startOutside } from './outside.ts';
import { tell } from './report.ts';
import { settle } from './settle.ts';
import { storm } from './weather.ts';
import { startWorld, type World } from './world.ts';

const USERS = 3;
const CLIENTS_OF_A_USER = 2;
/** The service's promise of a minute after the parts are back, and the longest pause between tries of a step. */
const SETTLE_SECONDS = 60 + 30;
/** More of one kind say nothing more. */
const SHOWN_VIOLATIONS = 10;

const optionsSchema = z.object({
  minutes: z.coerce.number().positive().default(2),
  seed: z.coerce
    .number()
    .int()
    .min(0)
    .default(() => randomInt(1_000_000)),
  settle: z.coerce.number().positive().default(SETTLE_SECONDS),
  /** Keeps logs and data also where everything held. */
  keep: z.boolean().default(false),
});

const say = (line: string) => process.stdout.write(`${line}\n`);

async function newUser({ apiUrl, database }: World, at: number): Promise<StormUser & { secret: string }> {
  const { key } = await createUser(database.pool, { email: `storm-${at}@example.com`, name: 'Storm', plan: 'pro' });
  const space = await ask({ apiUrl, key }, 'POST', '/v1/spaces', { name: `Space ${at}` });
  const secret = await ask({ apiUrl, key }, 'GET', '/v1/postback-secret');
  return { apiUrl, key, spaceId: space?.body.data.id, secret: secret?.body.data.secret };
}

/** Returns whether everything held. */
async function run(options: z.infer<typeof optionsSchema>, interrupted: AbortSignal): Promise<boolean> {
  const { minutes, seed } = options;
  const outside = await startOutside(seed);
  let world: World | undefined;
  let held = false;
  try {
    say(`Seed ${seed}: starting the service.`);
    world = await startWorld(outside.port, interrupted);
    const ledger = createLedger(join(world.folder, 'ledger.jsonl'));
    const users = [];
    for (let at = 1; at <= USERS; at++) users.push(await newUser(world, at));

    say(`The storm begins: ${minutes * 60} s. Logs are in ${world.folder}.`);
    const observers = users.map(observe);
    const over = AbortSignal.any([interrupted, AbortSignal.timeout(minutes * 60_000)]);
    const clients = startClients({ users, count: CLIENTS_OF_A_USER, seed, ledger, outside }, over);
    const [happenings] = await Promise.all([storm({ world, ledger, seed }, over), clients.done]);
    interrupted.throwIfAborted();

    say('All parts are up again. Waiting until nothing is owed.');
    const backAt = Date.now();
    outside.calm();
    await clients.askAgain(interrupted);
    const settled = await settle(world, backAt, options.settle * 1_000, interrupted);
    // What came last is to be seen, too.
    await delay(500);
    await Promise.all(observers.map((observer) => observer.stop()));

    const evidence = await gather(world, users, {
      ...{ ledger, served: outside.served, received: outside.received, owed: settled.owed },
      seen: observers.flatMap(({ seen }) => [...seen].map(([id, states]) => ({ id, states }))),
    });
    for (const line of tell(evidence, happenings, settled.ms)) say(line);
    held = true;
    for (const [name, violationsIn] of Object.entries(invariants)) {
      const violations = violationsIn(evidence);
      say(`${violations.length === 0 ? 'holds   ' : 'BROKEN  '} ${name}`);
      for (const violation of violations.slice(0, SHOWN_VIOLATIONS)) say(`           ${violation}`);
      if (violations.length > SHOWN_VIOLATIONS) say(`           and ${violations.length - SHOWN_VIOLATIONS} more`);
      held &&= violations.length === 0;
    }
  } finally {
    await world?.stop({ keepFolder: options.keep || (!held && !interrupted.aborted) });
    await outside.close();
    if (!held && !interrupted.aborted) {
      say(`To run it again: npm run chaos -- --minutes ${minutes} --seed ${seed}`);
      if (world !== undefined) say(`Logs and data are kept in ${world.folder}`);
    }
  }
  return held;
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    settle: { type: 'string' },
    keep: { type: 'boolean' },
  },
});
const interrupted = interruptSignal();
const held = await run(optionsSchema.parse(values), interrupted).catch((error: unknown) => {
  if (!interrupted.aborted) console.error(error);
  return false;
});
process.exit(interrupted.aborted ? 130 : held ? 0 : 1);
