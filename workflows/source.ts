/** The workflow of a source: runs its generations one after another and delivers their postbacks. */
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
import {
  awaitMembers,
  beginGeneration,
  extractContent,
  fetchContent,
  finishGeneration,
  joinMembers,
  listOwedPostbacks,
  stopDeliveries,
} from './activities.ts';
import { Deliveries } from './deliveries.ts';
import { describeFailure, failedAs } from './failure.ts';
import { showStatus } from './search-attributes.ts';
import { cancelSignal, deliverSignal, refreshSignal, reprocessSignal } from './signals.ts';
import { applyCancel, applyGeneration, initialState, rollBackTo } from './source-state.ts';

/**
 * Restarts of a generation after lost progress, per run. Beyond that the run leaves the generation open, and the
 * reconciler repairs it.
 */
const MAX_RESTARTS = 3;

export async function source(input: SourceRunInput): Promise<void> {
  const { sourceId } = input;
  const state = initialState(input);
  const deliveries = new Deliveries();
  let running: CancellationScope | undefined;
  let operatorCanceled = input.continued?.operatorCanceled ?? false;
  let operatorCancelHandled = false;
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
    state.deliveriesRequested += 1;
  });
  // A cancel by an operator (Temporal UI) cancels only the current generation: the rest is in a non-cancellable scope.
  CancellationScope.current().cancelRequested.catch(() => {
    operatorCanceled = true;
    running?.cancel();
  });

  await CancellationScope.nonCancellable(async () => {
    for (;;) {
      const hasPendingCancel = () => operatorCanceled && !operatorCancelHandled;
      const mustListPostbacks = () => state.deliveriesRequested > state.deliveriesListed || deliveries.wantsMore;
      await condition(
        () => state.known > state.done || mustListPostbacks() || hasPendingCancel() || deliveries.size === 0,
      );
      if (state.known > state.done) {
        // A run receives only one cancel request, so later generations need a new run.
        if (operatorCancelHandled || workflowInfo().continueAsNewSuggested) await continueInNewRun();
        await runGeneration(state.known);
      } else if (mustListPostbacks()) {
        if (workflowInfo().continueAsNewSuggested) await continueInNewRun();
        state.deliveriesListed = state.deliveriesRequested;
        deliveries.start(await listOwedPostbacks(sourceId));
      } else if (hasPendingCancel()) {
        operatorCancelHandled = true;
        await stopDeliveries(sourceId, 'canceled_by_operator');
        await deliveries.stop();
      } else {
        // No await between the check above and this return: after a signal in between, the server rejects completion.
        return;
      }
    }
  });

  /** Continues as new. The new run gets the unfinished generation and lists the pending postbacks again. */
  async function continueInNewRun(): Promise<never> {
    await deliveries.stop();
    const continued = { done: state.done, operatorCanceled: operatorCanceled && !operatorCancelHandled };
    return continueAsNew<typeof source>({ sourceId, generation: state.known, continued });
  }

  /** Runs one generation from begin to finish. Its pending postbacks are delivered beside the next generation. */
  async function runGeneration(generation: number): Promise<void> {
    const ref = { sourceId, generation };
    const begun = await beginGeneration(ref);
    deliveries.start(begun.owed);
    // After a lost workflow task, the result may be for the generation that the lost task had named, although a signal
    // has named a newer one meanwhile.
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
      // If a newer generation has superseded this one in the database, there is nothing left to write.
      if (state.known === generation) {
        const finished = await finishGeneration(ref, ending);
        deliveries.start(finished.owed);
        // Never a lower one: the row is behind after PostgreSQL was restored, and the reconciler numbers above the run.
        showStatus(finished.status, Math.max(finished.generation, generation));
        setCurrentDetails(`Generation ${finished.generation}: ${finished.status}`);
        // A failover has lost what its stages had stored: run it again from the beginning.
        if (isOpen(finished.status) && finished.generation === generation && restarts < MAX_RESTARTS) {
          restarts += 1;
          return;
        }
      }
    }
    state.done = Math.max(state.done, generation);
  }

  /**
   * Runs the stages and returns how the generation ends: a failure of the content is a result, not a failed workflow.
   * Null: a stage found the generation ended or superseded in the database, or its stored progress lost.
   */
  async function process(ref: GenerationRef, plan: GenerationPlan): Promise<GenerationEnd | null> {
    let stage: Stage = 'begin';
    const enter = (next: Stage) => {
      stage = next;
      setCurrentDetails(`Generation ${ref.generation}: ${next}`);
    };
    const scope = new CancellationScope({ cancellable: true });
    running = scope;
    const isCanceled = state.canceled >= ref.generation || (operatorCanceled && !operatorCancelHandled);
    if (state.known > ref.generation || isCanceled) scope.cancel();
    try {
      await scope.run(() => runStages(ref, plan, enter));
      return { status: 'COMPLETED' };
    } catch (error) {
      if (isCancellation(error)) {
        operatorCancelHandled = operatorCanceled;
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

/** Runs the stages between `begin` and `finish`, in order. */
async function runStages(ref: GenerationRef, plan: GenerationPlan, enter: (stage: Stage) => void): Promise<void> {
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
    await extractContent(ref, { context, artifacts }, plan.isShortText);
  }
}
