/**
 * What all documents of a process share by the language itself: built-in objects and their prototypes. A parser that can be
 * made to write to one of them (prototype pollution) would let a document change how later ones are read.
 */

/** Of each, what all values of its kind inherit from is watched. */
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

/** Own data properties; accessors are not asked for theirs, since Node makes some globals when they are first used. */
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

/** All globals and members of Intl, the prototypes of what they construct, and all that these inherit from. */
function watchedObjects(): object[] {
  const globals = [...valuesOf(globalThis), ...valuesOf(Intl), Buffer].filter(isObject);
  const constructed = globals.map((one) => ('prototype' in one ? one.prototype : undefined)).filter(isObject);
  const own = [...globals, ...constructed];
  return [...new Set([...own, ...[...own, ...samples].flatMap(prototypesOf)])];
}

/** What an object inherits from, and each of its properties. */
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

/** Remembers the shared objects as they are; the answer tells whether they are still so. Some 0.3 ms each time. */
export function snapshotSharedObjects(): () => boolean {
  const watched = watchedObjects().map((object) => ({ object, before: stateOf(object) }));
  return () => watched.every(({ object, before }) => isSame(stateOf(object), before));
}
