/**
 * Watches the objects that all documents of a process share: JavaScript's built-in objects and their prototypes.
 * Through a parser that writes to one of them (prototype pollution) a document could change how later ones are read.
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

interface State {
  object: object;
  prototype: object | null;
  keys: readonly PropertyKey[];
  /** Value of each data property. */
  values: [key: PropertyKey, value: unknown][];
  /** Getter and setter of each other property. */
  accessors: [key: PropertyKey, get: unknown, set: unknown][];
}

function stateOf(object: object): State {
  const keys = Reflect.ownKeys(object);
  const state: State = { object, prototype: Reflect.getPrototypeOf(object), keys, values: [], accessors: [] };
  for (const key of keys) {
    const property = Reflect.getOwnPropertyDescriptor(object, key);
    if (property !== undefined && 'value' in property) state.values.push([key, property.value]);
    else state.accessors.push([key, property?.get, property?.set]);
  }
  return state;
}

/**
 * Where there was a value, compares the value: a descriptor of each property would be garbage after every document. So a
 * getter that returns the same value is not noticed; a parser that only assigns cannot define one.
 */
function isUnchanged({ object, prototype, keys, values, accessors }: State): boolean {
  if (Reflect.getPrototypeOf(object) !== prototype) return false;
  const present = Reflect.ownKeys(object);
  if (present.length !== keys.length || present.some((key, at) => key !== keys[at])) return false;
  for (const [key, value] of values) if (!Object.is(Reflect.get(object, key), value)) return false;
  for (const [key, get, set] of accessors) {
    const property = Reflect.getOwnPropertyDescriptor(object, key);
    if (property?.get !== get || property?.set !== set) return false;
  }
  return true;
}

/** Records the state of the shared objects. The function returned says whether it is unchanged; a call takes 0.2 ms. */
export function snapshotSharedObjects(): () => boolean {
  const states = watchedObjects().map(stateOf);
  return () => states.every(isUnchanged);
}
