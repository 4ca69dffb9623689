/** The workflow of an artifact: processes the newest requested round until none is left. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  setCurrentDetails,
  setHandler,
  TimeoutFailure,
} from '@temporalio/workflow';
import { type ArtifactRound, parseRound } from '../contract/commands.ts';
import { isSourceErrorCode } from '../contract/errors.ts';
import type { ArtifactError } from '../contract/resources.ts';
import { enrichArtifact, failArtifact } from './activities.ts';
import { processSignal } from './signals.ts';

export async function artifact(input: ArtifactRound): Promise<void> {
  const { artifactId } = input;
  let requestedRound = input.round;
  let finishedRound = 0;
  setHandler(processSignal, (payload) => {
    requestedRound = Math.max(requestedRound, parseRound(payload) ?? 0);
  });

  // A cancel by an operator (Temporal UI) ends the running round; the artifact must not stay PROCESSING.
  let running: CancellationScope | undefined;
  CancellationScope.current().cancelRequested.catch(() => running?.cancel());

  await CancellationScope.nonCancellable(async () => {
    // No await between the last check and the return: after a signal in between, the server rejects the completion.
    while (requestedRound > finishedRound) {
      const ref = { artifactId, round: requestedRound };
      setCurrentDetails(`Round ${ref.round}: enriching`);
      running = new CancellationScope({ cancellable: true });
      try {
        await running.run(() => enrichArtifact(ref));
        setCurrentDetails(`Round ${ref.round}: done`);
      } catch (error) {
        if (!(error instanceof ActivityFailure) && !isCancellation(error)) throw error;
        await failArtifact(ref, describeError(error));
        setCurrentDetails(`Round ${ref.round}: failed`);
      }
      finishedRound = ref.round;
    }
  });
}

/** The error of a failed round, as users see it. */
function describeError(error: unknown): ArtifactError {
  if (isCancellation(error)) {
    return { code: 'internal', message: 'An operator canceled this. Process the artifact again.' };
  }
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (cause instanceof ApplicationFailure && isSourceErrorCode(cause.type) && cause.type !== 'internal') {
    return { code: cause.type, message: cause.message };
  }
  if (cause instanceof TimeoutFailure) {
    return { code: 'extraction_timeout', message: 'The artifact took too long to process. Process it again.' };
  }
  const message = 'The artifact could not be processed. Process it again; if that fails again, contact the operator.';
  return { code: 'internal', message };
}
