/** A single source of one owner while another owner's many are under way, beside one on an idle service. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceSide } from './service-side.ts';

/** Between the end of a single one and the next, so that they are spread over the time of the burst. */
const PAUSE_MS = 500;

export interface BesideCrowd {
  crowd: number;
  /** How long all of the crowd took. */
  seconds: number;
  /** Milliseconds of each single one from its request to COMPLETED. */
  idle: number[];
  /** Of those that were requested and COMPLETED while some of the crowd were not. */
  beside: number[];
}

/** @throws when the crowd was done before a single one was */
export async function besideCrowd(
  other: ServiceSide,
  crowd: ServiceSide,
  options: { crowd: number; idleSingles: number; concurrency: number },
): Promise<BesideCrowd> {
  const milliseconds = async () => {
    const { requested, seen } = await other.single();
    return seen - requested;
  };
  const idle: number[] = [];
  for (let index = 0; index < options.idleSingles; index += 1) idle.push(await milliseconds());

  const beside: number[] = [];
  let crowdIsDone = false;
  const burst = crowd.burst(options.crowd, options.concurrency).finally(() => {
    crowdIsDone = true;
  });
  const singles = (async () => {
    for (await delay(PAUSE_MS); !crowdIsDone; await delay(PAUSE_MS)) {
      const took = await milliseconds();
      if (!crowdIsDone) beside.push(took);
    }
  })();
  const [{ seconds }] = await Promise.all([burst, singles]);
  if (beside.length === 0) throw new Error(`${options.crowd} sources were done before a single one beside them.`);
  return { crowd: options.crowd, seconds, idle, beside };
}
