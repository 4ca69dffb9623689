/** Invariants of the final state. Each function returns its violations with ids; an empty list means that it holds. */
import type { FinalState } from '../final-state.ts';
import { rowsHaveTheNewestData } from './data.ts';
import {
  allowedTransitionsOnly,
  canceledStaysCanceled,
  oneGenerationForEachRequest,
  refreshesFetch,
  requestsHaveTheirGeneration,
} from './generations.ts';
import { noReferencedObjectIsMissing, noUnreferencedObjects, storedContentIsWhole } from './objects.ts';
import { oneMailForEachTicket, oneSourceForEachPromotion, processedArtifacts, waitsEndInTime } from './others.ts';
import { oneBodyForEachWebhookId, onePostbackForEachEnd, sourcesShowTheirPostbacks } from './postbacks.ts';
import { faultsFailNoSource, recoveriesAreExplained } from './recoveries.ts';
import {
  noInternalError,
  noOpenWorkflow,
  noOutboxRow,
  nothingIsPending,
  noUnexpectedExit,
  usageCountersMatchRows,
} from './remains.ts';
import { newestResults, resultsOfOneVersion, resultsOfTheRightContent } from './results.ts';
import {
  acceptedSourcesExist,
  deletedSpacesAcceptNoRequests,
  everySourceEnded,
  oneSourceForEachCreate,
  restoresAreAccepted,
} from './sources.ts';

export type Invariant = (state: FinalState) => string[];

export const invariants = {
  'every source has ended': everySourceEnded,
  'no create is executed twice': oneSourceForEachCreate,
  'accepted sources exist until they are purged': acceptedSourcesExist,
  'deleted sources can be restored within the retention time': restoresAreAccepted,
  'a deleted space accepts no requests': deletedSpacesAcceptNoRequests,
  'status transitions are allowed, generations and revisions never decrease': allowedTransitionsOnly,
  'a response names the generation of its request': requestsHaveTheirGeneration,
  'each refresh, reprocess and update makes one generation': oneGenerationForEachRequest,
  'a refresh fetches again': refreshesFetch,
  'a canceled generation stays canceled': canceledStaysCanceled,
  'every recovery has a cause that a fault explains': recoveriesAreExplained,
  'no source fails because of injected faults': faultsFailNoSource,
  'a row has the data of the last accepted update': rowsHaveTheNewestData,
  'results belong to the newest completed generation': newestResults,
  'results belong to one version of the content': resultsOfOneVersion,
  'results match the data that was sent, with all members in order': resultsOfTheRightContent,
  'stored content has the size in its row': storedContentIsWhole,
  'each ended generation has one webhook-id, superseded ones have none': onePostbackForEachEnd,
  'each webhook-id has one body': oneBodyForEachWebhookId,
  'the API shows the postbacks of each source': sourcesShowTheirPostbacks,
  'no referenced object is missing': noReferencedObjectIsMissing,
  'no unreferenced object remains': noUnreferencedObjects,
  'accepted artifacts are processed': processedArtifacts,
  'each promoted artifact has one source': oneSourceForEachPromotion,
  'each ticket is mailed once': oneMailForEachTicket,
  'a wait ends with a change or at its timeout': waitsEndInTime,
  'no workflow is open': noOpenWorkflow,
  'the outbox is empty': noOutboxRow,
  'nothing is pending': nothingIsPending,
  'usage counters match the rows': usageCountersMatchRows,
  'no process exits unexpectedly': noUnexpectedExit,
  'no internal error': noInternalError,
} as const satisfies Record<string, Invariant>;
export type InvariantName = keyof typeof invariants;
