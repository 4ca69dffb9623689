import fc from 'fast-check';
import {
  applyCancel,
  applyGeneration,
  initialState,
  rollBackTo,
  type SourceRunState,
} from '../../workflows/source-state.ts';

type Heard = { signal: 'generation' | 'cancel'; generation: number };

const heard: fc.Arbitrary<Heard> = fc.record({
  signal: fc.constantFrom('generation', 'cancel'),
  generation: fc.integer({ min: 1, max: 8 }),
});

function hear(state: SourceRunState, { signal, generation }: Heard): boolean {
  return signal === 'cancel' ? applyCancel(state, generation) : applyGeneration(state, generation);
}

function fold(start: number, signals: Heard[]): SourceRunState {
  const state = initialState({ generation: start });
  for (const signal of signals) hear(state, signal);
  return state;
}

/** What a run does by its state: which generation it takes up, and whether that is to be canceled. */
const decision = ({ known, canceled }: SourceRunState) => ({
  takesUp: known,
  canceled: known > 0 && canceled >= known,
});

describe('what a run knows of its generations', () => {
  const start = fc.integer({ min: 0, max: 8 });

  test('is the newest that was named, canceled if a cancel named that one', () => {
    fc.assert(
      fc.property(start, fc.array(heard), (from, signals) => {
        const newest = Math.max(from, ...signals.map(({ generation }) => generation));
        const canceled = signals.some(({ signal, generation }) => signal === 'cancel' && generation === newest);
        expect(decision(fold(from, signals))).toEqual({ takesUp: newest, canceled });
      }),
    );
  });

  test('does not depend on the order of the signals', () => {
    const shuffled = fc
      .array(heard)
      .chain((signals) => fc.tuple(fc.constant(signals), fc.shuffledSubarray(signals, { minLength: signals.length })));
    fc.assert(
      fc.property(start, shuffled, (from, [signals, otherOrder]) => {
        expect(decision(fold(from, otherOrder))).toEqual(decision(fold(from, signals)));
      }),
    );
  });

  test('does not depend on how often they come', () => {
    const repeated = fc
      .array(heard, { minLength: 1 })
      .chain((signals) => fc.tuple(fc.constant(signals), fc.array(fc.constantFrom(...signals))));
    fc.assert(
      fc.property(start, repeated, (from, [signals, again]) => {
        expect(decision(fold(from, [...signals, ...again]))).toEqual(decision(fold(from, signals)));
      }),
    );
  });

  test('stops what runs exactly when its generation is superseded or canceled', () => {
    fc.assert(
      fc.property(start, fc.array(heard), heard, (from, before, signal) => {
        const state = fold(from, before);
        const { known } = state;
        const stops = signal.signal === 'cancel' ? signal.generation >= known : signal.generation > known;
        expect(hear(state, signal)).toBe(stops);
      }),
    );
  });

  test('never moves back by a signal, and never touches what was done', () => {
    fc.assert(
      fc.property(start, fc.integer({ min: 0, max: 8 }), fc.array(heard), (from, done, signals) => {
        const state = { ...initialState({ generation: from }), done };
        for (const signal of signals) {
          const { known, canceled } = state;
          hear(state, signal);
          expect(state.known).toBeGreaterThanOrEqual(known);
          expect(state.canceled).toBeGreaterThanOrEqual(canceled);
          expect(state.canceled).toBeLessThanOrEqual(state.known);
          expect(state.done).toBe(done);
        }
      }),
    );
  });

  test('forgets what the database does not know: its own generation is taken up again, and the next is news', () => {
    fc.assert(
      fc.property(start, fc.array(heard), fc.integer({ min: 1, max: 8 }), (from, signals, truth) => {
        const state = fold(from, signals);
        rollBackTo(state, truth);
        expect(decision(state)).toEqual({ takesUp: truth, canceled: false });
        expect(state.known).toBeGreaterThan(state.done);
        expect(applyGeneration(state, truth + 1)).toBe(true);
      }),
    );
  });

  test('a run that continues another takes up what is newer than what that one had done, and looks for postbacks', () => {
    fc.assert(
      fc.property(start, start, (generation, done) => {
        const state = initialState({ generation, continued: { done } });
        expect(state).toMatchObject({ known: Math.max(generation, done), done });
        expect(state.asked).toBeGreaterThan(state.looked);
      }),
    );
  });
});
