import fc from 'fast-check';
import {
  applyCancel,
  applyGeneration,
  initialState,
  rollBackTo,
  type SourceRunState,
} from '../../workflows/source-state.ts';

type Signal = { signal: 'generation' | 'cancel'; generation: number };

const anySignal: fc.Arbitrary<Signal> = fc.record({
  signal: fc.constantFrom('generation', 'cancel'),
  generation: fc.integer({ min: 1, max: 8 }),
});

function apply(state: SourceRunState, { signal, generation }: Signal): boolean {
  return signal === 'cancel' ? applyCancel(state, generation) : applyGeneration(state, generation);
}

function fold(start: number, signals: Signal[]): SourceRunState {
  const state = initialState({ generation: start });
  for (const signal of signals) apply(state, signal);
  return state;
}

/** The generation that a run starts next by its state, and whether that is canceled. */
const decision = ({ known, canceled }: SourceRunState) => ({
  next: known,
  canceled: known > 0 && canceled >= known,
});

describe('the state of a source run', () => {
  const start = fc.integer({ min: 0, max: 8 });

  test('has the newest signaled generation, canceled if a cancel named it', () => {
    fc.assert(
      fc.property(start, fc.array(anySignal), (from, signals) => {
        const newest = Math.max(from, ...signals.map(({ generation }) => generation));
        const canceled = signals.some(({ signal, generation }) => signal === 'cancel' && generation === newest);
        expect(decision(fold(from, signals))).toEqual({ next: newest, canceled });
      }),
    );
  });

  test('does not depend on the order of the signals', () => {
    const shuffled = fc
      .array(anySignal)
      .chain((signals) => fc.tuple(fc.constant(signals), fc.shuffledSubarray(signals, { minLength: signals.length })));
    fc.assert(
      fc.property(start, shuffled, (from, [signals, otherOrder]) => {
        expect(decision(fold(from, otherOrder))).toEqual(decision(fold(from, signals)));
      }),
    );
  });

  test('does not depend on repetitions of the signals', () => {
    const repeated = fc
      .array(anySignal, { minLength: 1 })
      .chain((signals) => fc.tuple(fc.constant(signals), fc.array(fc.constantFrom(...signals))));
    fc.assert(
      fc.property(start, repeated, (from, [signals, again]) => {
        expect(decision(fold(from, [...signals, ...again]))).toEqual(decision(fold(from, signals)));
      }),
    );
  });

  test('stops the running generation exactly when it is superseded or canceled', () => {
    fc.assert(
      fc.property(start, fc.array(anySignal), anySignal, (from, before, signal) => {
        const state = fold(from, before);
        const { known } = state;
        const stops = signal.signal === 'cancel' ? signal.generation >= known : signal.generation > known;
        expect(apply(state, signal)).toBe(stops);
      }),
    );
  });

  test('is never decreased by a signal, and a signal never changes `done`', () => {
    fc.assert(
      fc.property(start, fc.integer({ min: 0, max: 8 }), fc.array(anySignal), (from, done, signals) => {
        const state = { ...initialState({ generation: from }), done };
        for (const signal of signals) {
          const { known, canceled } = state;
          apply(state, signal);
          expect(state.known).toBeGreaterThanOrEqual(known);
          expect(state.canceled).toBeGreaterThanOrEqual(canceled);
          expect(state.canceled).toBeLessThanOrEqual(state.known);
          expect(state.done).toBe(done);
        }
      }),
    );
  });

  test('is rolled back to the generation of the database, which runs again, and accepts the next one', () => {
    fc.assert(
      fc.property(start, fc.array(anySignal), fc.integer({ min: 1, max: 8 }), (from, signals, truth) => {
        const state = fold(from, signals);
        rollBackTo(state, truth);
        expect(decision(state)).toEqual({ next: truth, canceled: false });
        expect(state.known).toBeGreaterThan(state.done);
        expect(applyGeneration(state, truth + 1)).toBe(true);
      }),
    );
  });

  test('of a continued run keeps `done` of the previous run and requests a check for postbacks', () => {
    fc.assert(
      fc.property(start, start, (generation, done) => {
        const state = initialState({ generation, continued: { done } });
        expect(state).toMatchObject({ known: Math.max(generation, done), done });
        expect(state.deliveriesRequested).toBeGreaterThan(state.deliveriesListed);
      }),
    );
  });
});
