/** The run of an artifact: takes up the newest round that it has heard of until there is none left. */
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
import { processSignal } from './signals.ts';
import { enrichArtifact, failArtifact } from './steps.ts';

export async function artifact(input: ArtifactRound): Promise<void> {
  const { artifactId } = input;
  let known = input.round;
  let done = 0;
  setHandler(processSignal, (payload) => {
    known = Math.max(known, parseRound(payload) ?? 0);
  });

  // An operator's cancel (Temporal UI) ends the round that runs; the artifact must not stay PROCESSING.
  let running: CancellationScope | undefined;
  CancellationScope.current().cancelRequested.catch(() => running?.cancel());

  await CancellationScope.nonCancellable(async () => {
    // No await between the last check and the return: a signal in between makes the server refuse the completion.
    while (known > done) {
      const ref = { artifactId, round: known };
      setCurrentDetails(`Round ${ref.round}: enriching`);
      running = new CancellationScope({ cancellable: true });
      try {
        await running.run(() => enrichArtifact(ref));
        setCurrentDetails(`Round ${ref.round}: done`);
      } catch (error) {
        if (!(error instanceof ActivityFailure) && !isCancellation(error)) throw error;
        await failArtifact(ref, describe(error));
        setCurrentDetails(`Round ${ref.round}: failed`);
      }
      done = ref.round;
    }
  });
}

/** What users read when a round gave up. */
function describe(error: unknown): ArtifactError {
  if (isCancellation(error)) return { code: 'internal', message: 'An operator stopped this. Process it again.' };
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (cause instanceof ApplicationFailure && isSourceErrorCode(cause.type) && cause.type !== 'internal') {
    return { code: cause.type, message: cause.message };
  }
  if (cause instanceof TimeoutFailure) {
    return { code: 'extraction_timeout', message: 'The artifact took too long to process. Process it again.' };
  }
  const message = 'The artifact could not be processed. Process it again; if that fails again, tell the operator.';
  return { code: 'internal', message };
}
