/**
 * Preloaded into a process of the service (NODE_OPTIONS=--import): shifts its clock by CLOCK_OFFSET_MS. Timers are
 * relative, so nothing else changes. Temporal's workflow sandbox replaces Date by its own.
 */
const offset = Number(process.env.CLOCK_OFFSET_MS);
const TrueDate = Date;
const now = () => TrueDate.now() + offset;

globalThis.Date = new Proxy(TrueDate, {
  apply: () => new TrueDate(now()).toString(),
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
