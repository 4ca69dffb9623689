/** What must hold after a storm. Each invariant returns its violations, with ids; none is good. */
import type { FinalState } from '../final-state.ts';
import { rowsHoldTheNewestData } from './data.ts';
import {
  canceledStaysCanceled,
  noBackwardSteps,
  oneGenerationForEachRequest,
  refreshesFetch,
  requestsHaveTheirGeneration,
} from './generations.ts';
import { noNeededObjectIsMissing, noOrphanObjects, storedContentIsWhole } from './objects.ts';
import { oneMailForEachTicket, oneSourceForEachPromotion, processedArtifacts, waitsWait } from './others.ts';
import { oneBodyForEachWebhookId, onePostbackForEachEnd, sourcesShowTheirPostbacks } from './postbacks.ts';
import { ownTroubleEndsNoSource, recoveriesAreExplained } from './recoveries.ts';
import {
  noInternalError,
  noOpenWorkflow,
  noOutboxRow,
  noProcessEnded,
  nothingIsPending,
  quotasCountWhatIsThere,
} from './remains.ts';
import { newestResults, resultsOfOneVersion, resultsOfTheRightContent } from './results.ts';
import {
  deletedSpacesTakeNoRequests,
  deletionsHold,
  everySourceEnded,
  oneSourceForEachCreate,
  restoresAreAccepted,
} from './sources.ts';

export type Invariant = (state: FinalState) => string[];

export const invariants = {
  'every source has ended': everySourceEnded,
  'no create was done twice': oneSourceForEachCreate,
  'accepted sources are there until they are purged': deletionsHold,
  'deleted sources can be restored in time': restoresAreAccepted,
  'a deleted space takes no requests': deletedSpacesTakeNoRequests,
  'statuses move along allowed steps, generations and revisions never back': noBackwardSteps,
  'an answer names a generation of its request': requestsHaveTheirGeneration,
  'one generation for each refresh, reprocess and update': oneGenerationForEachRequest,
  'a refresh fetches again': refreshesFetch,
  'what was canceled stays canceled': canceledStaysCanceled,
  'every recovery has a cause': recoveriesAreExplained,
  'no source fails by trouble of the service': ownTroubleEndsNoSource,
  'the row holds the data of the last update': rowsHoldTheNewestData,
  'results are of the newest completed generation': newestResults,
  'results are of one version of the content': resultsOfOneVersion,
  'results are of the right content, members complete and in order': resultsOfTheRightContent,
  'stored content is what its row says': storedContentIsWhole,
  'one webhook-id for each generation that ended, none for superseded ones': onePostbackForEachEnd,
  'one body for each webhook-id': oneBodyForEachWebhookId,
  'a source shows its postbacks': sourcesShowTheirPostbacks,
  'no needed object is missing': noNeededObjectIsMissing,
  'no orphan object': noOrphanObjects,
  'artifacts are processed': processedArtifacts,
  'one source for each promotion': oneSourceForEachPromotion,
  'one mail for each ticket': oneMailForEachTicket,
  'waits end with a change or their time': waitsWait,
  'no open workflow': noOpenWorkflow,
  'no outbox row': noOutboxRow,
  'nothing is pending': nothingIsPending,
  'quotas count what is there': quotasCountWhatIsThere,
  'no process ended by itself': noProcessEnded,
  'no internal error': noInternalError,
} as const satisfies Record<string, Invariant>;
export type InvariantName = keyof typeof invariants;
