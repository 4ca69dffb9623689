/** The workflow of a purge: removes a source, or a space with everything in it, permanently. */
import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { createActivities } from '../activities/index.ts';
import type { PurgeSubject } from '../contract/commands.ts';
import { HEARTBEAT_TIMEOUT, waiting } from './waiting.ts';

type Activities = ReturnType<typeof createActivities>;

/** Retried without a limit: a purge cannot be taken back, so it must complete. */
const untilDone = { ...waiting, retry: { initialInterval: '1s', maximumInterval: '1m' } } as const;
const long = { ...untilDone, startToCloseTimeout: '10m', heartbeatTimeout: HEARTBEAT_TIMEOUT } as const;
const short = { ...untilDone, startToCloseTimeout: '1m' } as const;

const { findSourcesToPurge } = proxyActivities<Activities>({ ...short, summary: 'Find sources to purge' });
const { endRuns } = proxyActivities<Activities>({ ...long, summary: 'End runs and deliveries, remove executions' });
const { purgeSources } = proxyActivities<Activities>({ ...long, summary: 'Remove objects, then rows' });
const { purgeUploads } = proxyActivities<Activities>({ ...long, summary: 'Remove unused uploads' });
const { purgeSpace } = proxyActivities<Activities>({ ...long, summary: 'Remove the space' });

export async function purge(subject: PurgeSubject): Promise<void> {
  for (let found = await findSourcesToPurge(subject); found.length > 0; found = await findSourcesToPurge(subject)) {
    const sourceIds = found.map(({ sourceId }) => sourceId);
    const uploads = new Map(found.flatMap(({ upload }) => (upload === null ? [] : [[upload.id, upload] as const])));
    await endRuns(sourceIds);
    await purgeSources(sourceIds);
    // The ids come from this run's history: the rows that referenced the uploads are gone by now.
    if (uploads.size > 0) await purgeUploads([...uploads.values()]);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof purge>(subject);
  }
  if (subject.of === 'space') await purgeSpace(subject.id);
}
