/** The run of a source: one workflow that takes up its generations one after another and delivers their postbacks. */
import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { GenerationPlan } from '../activities/begin-generation.ts';
import {
  type GenerationRef,
  parseGenerationCommand,
  progressLostFailure,
  type SourceRunInput,
  supersededFailure,
} from '../contract/commands.ts';
import type { GenerationEnd } from '../contract/resources.ts';
import { isOpen, type Stage } from '../contract/statuses.ts';
import { Deliveries } from './deliveries.ts';
import { describeFailure, failedAs } from './failure.ts';
import { showStatus } from './search-attributes.ts';
import { cancelSignal, deliverSignal, refreshSignal, reprocessSignal } from './signals.ts';
import { applyCancel, applyGeneration, initialState, rollBackTo } from './source-state.ts';
import {
  awaitMembers,
  beginGeneration,
  extractContent,
  fetchContent,
  finishGeneration,
  joinMembers,
  listOwedPostbacks,
  stopDeliveries,
} from './steps.ts';

/** Of all generations of a run; then the run ends, and the reconciler finds what the database has not ended. */
const MAX_RESTARTS = 3;

export async function source(input: SourceRunInput): Promise<void> {
  const { sourceId } = input;
  const state = initialState(input);
  const deliveries = new Deliveries();
  let running: CancellationScope | undefined;
  let operatorCanceled = input.continued?.operatorCanceled ?? false;
  let operatorHeard = false;
  let restarts = 0;

  const onGeneration = (payload: unknown) => {
    const command = parseGenerationCommand(payload);
    if (command && applyGeneration(state, command.generation)) running?.cancel();
  };
  setHandler(reprocessSignal, onGeneration);
  setHandler(refreshSignal, onGeneration);
  setHandler(cancelSignal, (payload) => {
    const command = parseGenerationCommand(payload);
    if (command && applyCancel(state, command.generation)) running?.cancel();
  });
  setHandler(deliverSignal, () => {
    state.asked += 1;
  });
  // An operator's cancel (Temporal UI) cancels the current generation. Everything runs beyond the root scope's reach.
  CancellationScope.current().cancelRequested.catch(() => {
    operatorCanceled = true;
    running?.cancel();
  });

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      const operatorWaits = () => operatorCanceled && !operatorHeard;
      const mustLook = () => state.asked > state.looked || deliveries.wantsMore;
      await condition(() => state.known > state.done || mustLook() || operatorWaits() || deliveries.size === 0);
      if (state.known > state.done) {
        // A run hears an operator's cancel only once, so what comes after one belongs to a new run.
        if (operatorHeard || workflowInfo().continueAsNewSuggested) await goOnInNewRun();
        await takeUp(state.known);
      } else if (mustLook()) {
        if (workflowInfo().continueAsNewSuggested) await goOnInNewRun();
        state.looked = state.asked;
        deliveries.start(await listOwedPostbacks(sourceId));
      } else if (operatorWaits()) {
        operatorHeard = true;
        await stopDeliveries(sourceId, 'canceled_by_operator');
        await deliveries.stop();
      } else {
        // No await between the check above and this return: a signal in between makes the server refuse it.
        return;
      }
    }
  });

  /** Ends this run; the next one begins with what is left to do, and finds in the database what is to be delivered. */
  async function goOnInNewRun(): Promise<never> {
    await deliveries.stop();
    const continued = { done: state.done, operatorCanceled: operatorCanceled && !operatorHeard };
    return continueAsNew<typeof source>({ sourceId, generation: state.known, continued });
  }

  /** One generation from begin to its end in the database; whatever is owed then is delivered beside the next. */
  async function takeUp(generation: number): Promise<void> {
    const ref = { sourceId, generation };
    const begun = await beginGeneration(ref);
    deliveries.start(begun.owed);
    // After a workflow task was lost, the next one gets the answer to what that one asked, even where it asks for a
    // newer generation of which a signal has told meanwhile.
    if (begun.generation !== generation) {
      state.done = Math.max(state.done, begun.generation);
      return;
    }
    if (begun.newest < generation) {
      rollBackTo(state, begun.newest);
      return;
    }
    if (begun.plan !== null) {
      showStatus('PROCESSING', generation);
      const ending = await process(ref, begun.plan);
      // A newer generation has superseded this one in the database already: there is nothing left to write.
      if (state.known === generation) {
        const finished = await finishGeneration(ref, ending);
        deliveries.start(finished.owed);
        showStatus(finished.status, finished.generation);
        setCurrentDetails(`Generation ${finished.generation}: ${finished.status}`);
        // A failover has lost what its steps had stored: it is done again, from its beginning.
        if (isOpen(finished.status) && finished.generation === generation && restarts < MAX_RESTARTS) {
          restarts += 1;
          return;
        }
      }
    }
    state.done = Math.max(state.done, generation);
  }

  /**
   * How the generation ends by what its steps did: a failure of the content is a result, not a failed workflow. Null when
   * a step found that the database disagrees: it has ended there, is superseded, or has lost what was stored.
   */
  async function process(ref: GenerationRef, plan: GenerationPlan): Promise<GenerationEnd | null> {
    let stage: Stage = 'begin';
    const enter = (next: Stage) => {
      stage = next;
      setCurrentDetails(`Generation ${ref.generation}: ${next}`);
    };
    const scope = new CancellationScope({ cancellable: true });
    running = scope;
    if (state.known > ref.generation || state.canceled >= ref.generation || (operatorCanceled && !operatorHeard)) {
      scope.cancel();
    }
    try {
      await scope.run(() => steps(ref, plan, enter));
      return { status: 'COMPLETED' };
    } catch (error) {
      if (isCancellation(error)) {
        operatorHeard = operatorCanceled;
        return { status: 'CANCELED' };
      }
      if (!(error instanceof ActivityFailure)) throw error;
      if (failedAs(error, supersededFailure) || failedAs(error, progressLostFailure)) return null;
      return { status: 'FAILED', error: describeFailure(error, stage) };
    } finally {
      running = undefined;
    }
  }
}

/** What is done with the content, in order. */
async function steps(ref: GenerationRef, plan: GenerationPlan, enter: (stage: Stage) => void): Promise<void> {
  if (plan.type === 'COMPOSITION') {
    enter('wait');
    await awaitMembers(ref);
    enter('fetch');
    await joinMembers(ref);
  } else if (plan.fetch) {
    enter('fetch');
    await fetchContent(ref);
  }
  const { runContextExtraction: context, runArtifactExtraction: artifacts } = plan;
  if (context || artifacts) {
    enter(context ? 'context' : 'artifacts');
    await extractContent(ref, { context, artifacts });
  }
}
