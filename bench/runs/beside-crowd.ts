/** Latency of single sources of one owner, on an idle service and while another owner's burst is processed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceSide } from './service-side.ts';

/** Pause between two single sources, so that they are spread over the duration of the burst. */
const PAUSE_MS = 500;

export interface LatencyUnderLoad {
  /** Number of sources of the burst. */
  crowd: number;
  /** Duration of the burst. */
  seconds: number;
  /** Milliseconds of each single source from its request to COMPLETED, on an idle service. */
  idle: number[];
  /** The same for single sources that were requested and COMPLETED before the burst had ended. */
  loaded: number[];
}

/** @throws when the burst ended before the first single source. */
export async function measureUnderLoad(
  other: ServiceSide,
  crowd: ServiceSide,
  options: { crowd: number; idleSingles: number; concurrency: number },
): Promise<LatencyUnderLoad> {
  const milliseconds = async () => {
    const { requested, seen } = await other.single();
    return seen - requested;
  };
  const idle: number[] = [];
  for (let index = 0; index < options.idleSingles; index += 1) idle.push(await milliseconds());

  const loaded: number[] = [];
  let burstHasEnded = false;
  const burst = crowd.burst(options.crowd, options.concurrency).finally(() => {
    burstHasEnded = true;
  });
  const singles = (async () => {
    for (await delay(PAUSE_MS); !burstHasEnded; await delay(PAUSE_MS)) {
      const took = await milliseconds();
      if (!burstHasEnded) loaded.push(took);
    }
  })();
  const [{ seconds }] = await Promise.all([burst, singles]);
  if (loaded.length === 0) throw new Error(`The burst of ${options.crowd} sources ended before one single source.`);
  return { crowd: options.crowd, seconds, idle, loaded };
}
