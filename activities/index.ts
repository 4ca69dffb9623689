/** The activities of the service. Operators see their names in a run's history. */
import {
  type ArtifactRound,
  type GenerationRef,
  type PendingPostback,
  type PurgeSubject,
  type SpaceDeletion,
  sourceActivities,
} from '../contract/commands.ts';
import type { ArtifactError, GenerationEnd } from '../contract/resources.ts';
import { endArtifactFailed } from '../db/transitions/artifacts/process-artifact.ts';
import { stopDeliveries } from '../db/transitions/postbacks/record-delivery-attempt.ts';
import type { PurgedUpload } from '../db/transitions/retention/purge.ts';
import { awaitMembers } from './await-members.ts';
import { beginGeneration } from './begin-generation.ts';
import { cancelSources } from './cancel-sources.ts';
import { deliverPostback } from './deliver-postback.ts';
import { enrichArtifact } from './enrich-artifact.ts';
import { type ExtractionPlan, extractContent } from './extract-content.ts';
import { fetchContent } from './fetch-content.ts';
import { finishGeneration } from './finish-generation.ts';
import { joinMembers } from './join-members.ts';
import { listOwedPostbacks } from './list-owed-postbacks.ts';
import { endRuns, findSourcesToPurge, purgeSources, purgeSpace, purgeUploads } from './purge.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { sendTicket } from './send-ticket.ts';

/** Returns the activities by name, bound to their dependencies. */
export function createActivities(deps: Dependencies) {
  return {
    [sourceActivities.begin]: (ref: GenerationRef) => beginGeneration(deps, ref),
    fetchContent: (ref: GenerationRef) => fetchContent(deps, ref),
    awaitMembers: (ref: GenerationRef) => awaitMembers(deps, ref),
    joinMembers: (ref: GenerationRef) => joinMembers(deps, ref),
    extractContent: (ref: GenerationRef, plan: ExtractionPlan) => extractContent(deps, ref, plan),
    [sourceActivities.finish]: (ref: GenerationRef, ending: GenerationEnd | null) =>
      finishGeneration(deps, ref, ending),
    [sourceActivities.listPending]: (sourceId: string) => listOwedPostbacks(deps, sourceId),
    [sourceActivities.deliver]: (pending: PendingPostback) => deliverPostback(deps, pending),
    [sourceActivities.stopDeliveries]: (sourceId: string, reason: string) =>
      stopDeliveries(deps.database.pool, sourceId, reason),
    enrichArtifact: (ref: ArtifactRound) => enrichArtifact(deps, ref),
    failArtifact: (ref: ArtifactRound, error: ArtifactError) => endArtifactFailed(deps.database.pool, ref, error),
    sendTicket: (ticketId: string) => sendTicket(deps, ticketId),
    cancelSources: (deletion: SpaceDeletion) => cancelSources(deps, deletion),
    findSourcesToPurge: (subject: PurgeSubject) => findSourcesToPurge(deps, subject),
    endRuns: (sourceIds: string[]) => endRuns(deps, sourceIds),
    purgeSources: (sourceIds: string[]) => purgeSources(deps, sourceIds),
    purgeUploads: (uploads: PurgedUpload[]) => purgeUploads(deps, uploads),
    purgeSpace: (spaceId: string) => purgeSpace(deps, spaceId),
  };
}
