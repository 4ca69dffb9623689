/**
 * Preload (NODE_OPTIONS=--import) that shifts a process's Date by CLOCK_OFFSET_MS. Timers are relative, so they are not
 * affected; neither is Temporal's workflow sandbox, which has its own Date.
 */
const offset = Number(process.env.CLOCK_OFFSET_MS);
const TrueDate = Date;
const now = () => TrueDate.now() + offset;

globalThis.Date = new Proxy(TrueDate, {
  apply: () => new TrueDate(now()).toString(),
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
