/**
 * Watches the objects that all documents of a process share: JavaScript's built-in objects and their prototypes.
 * Through
 * a parser that writes to one of them (prototype pollution) a document could change how later ones are read.
 */

/** One value for each prototype that no global refers to. */
const samples: readonly object[] = [
  async () => undefined,
  function* () {},
  async function* () {},
  (function* () {})(),
  (async function* () {})(),
  [].values(),
  new Map().values(),
  new Set().values(),
  ''.matchAll(/x/g),
  ''[Symbol.iterator](),
];

/** Values of own data properties. Getters are not called, since some globals of Node are created on first access. */
function valuesOf(object: object): unknown[] {
  return Object.values(Object.getOwnPropertyDescriptors(object)).map(({ value }) => value);
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function prototypesOf(object: object): object[] {
  const prototype: unknown = Object.getPrototypeOf(object);
  return isObject(prototype) ? [prototype, ...prototypesOf(prototype)] : [];
}

/** All globals and members of Intl, their `prototype` objects, and the prototype chains of all of these. */
function watchedObjects(): object[] {
  const globals = [...valuesOf(globalThis), ...valuesOf(Intl), Buffer].filter(isObject);
  const constructed = globals.map((one) => ('prototype' in one ? one.prototype : undefined)).filter(isObject);
  const own = [...globals, ...constructed];
  return [...new Set([...own, ...[...own, ...samples].flatMap(prototypesOf)])];
}

/** An object's prototype, and the descriptors of its properties. */
function stateOf(object: object): unknown[] {
  const state: unknown[] = [Object.getPrototypeOf(object)];
  for (const key of Reflect.ownKeys(object)) {
    const property = Reflect.getOwnPropertyDescriptor(object, key);
    state.push(key, property?.value, property?.get, property?.set);
  }
  return state;
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((part, at) => Object.is(part, other[at]));
}

/** Records the state of the shared objects. The function returned says whether it is unchanged; a call takes 0.3 ms. */
export function snapshotSharedObjects(): () => boolean {
  const watched = watchedObjects().map((object) => ({ object, before: stateOf(object) }));
  return () => watched.every(({ object, before }) => isSame(stateOf(object), before));
}
