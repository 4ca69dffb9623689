/** What must hold after a storm. Each invariant says what violates it, with ids; none is good. */
import type { Evidence } from '../evidence.ts';
import { canceledStaysCanceled, noBackwardSteps, requestsHaveTheirGeneration } from './history.ts';
import { noOrphanObjects, storedContentIsWhole } from './objects.ts';
import { onePostbackForEachEnd } from './postbacks.ts';
import { noOpenWorkflow, noOutboxRow, noProcessEnded, nothingIsOwed } from './remains.ts';
import { newestResults, resultsOfOneVersion } from './results.ts';
import { acceptedCreatesAreThere, deletionsHold, everySourceEnded, oneSourceForEachCreate } from './sources.ts';

export type Invariant = (evidence: Evidence) => string[];

export const invariants: Readonly<Record<string, Invariant>> = {
  'every source has ended': everySourceEnded,
  'no accepted create is missing': acceptedCreatesAreThere,
  'no create was done twice': oneSourceForEachCreate,
  'deletions and restores hold': deletionsHold,
  'statuses move along allowed steps, generations and revisions never back': noBackwardSteps,
  'what was accepted is in the history': requestsHaveTheirGeneration,
  'what was canceled stays canceled': canceledStaysCanceled,
  'results are of the newest completed generation': newestResults,
  'results are of one version of the content': resultsOfOneVersion,
  'stored content is what its row says': storedContentIsWhole,
  'one webhook-id for each generation that ended, none for superseded ones': onePostbackForEachEnd,
  'no orphan object, and none is missing': noOrphanObjects,
  'no open workflow': noOpenWorkflow,
  'no outbox row': noOutboxRow,
  'nothing is owed': nothingIsOwed,
  'no process ended by itself': noProcessEnded,
};
