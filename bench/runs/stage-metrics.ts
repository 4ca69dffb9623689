/** Stage durations as the worker measures them: the metric stage_duration_seconds of its /metrics. */

export interface StageTotals {
  count: number;
  seconds: number;
}

export type StageMetrics = Record<'context' | 'artifacts', StageTotals>;

export async function readStageMetrics(workerUrl: string): Promise<StageMetrics> {
  const text = await (await fetch(`${workerUrl}/metrics`)).text();
  const value = (name: string, stage: string): number => {
    const line = new RegExp(`^stage_duration_seconds_${name}\\{stage="${stage}",outcome="done"\\} (\\S+)$`, 'm');
    return Number(line.exec(text)?.[1] ?? 0);
  };
  const totals = (stage: string): StageTotals => ({ count: value('count', stage), seconds: value('sum', stage) });
  return { context: totals('context'), artifacts: totals('artifacts') };
}

/** Adds the difference between two readings to `sum`. */
export function addStages(sum: StageMetrics, before: StageMetrics, after: StageMetrics): void {
  for (const stage of ['context', 'artifacts'] as const) {
    sum[stage].count += after[stage].count - before[stage].count;
    sum[stage].seconds += after[stage].seconds - before[stage].seconds;
  }
}

export function noStages(): StageMetrics {
  return { context: { count: 0, seconds: 0 }, artifacts: { count: 0, seconds: 0 } };
}
