/**
 * What all documents of a process share by the language itself: built-in objects and their prototypes. A parser that can be
 * made to write to one of them (prototype pollution) would let a document change how later ones are read.
 */

const constructors = [
  Object,
  Function,
  Array,
  String,
  Number,
  Boolean,
  Symbol,
  BigInt,
  RegExp,
  Date,
  Error,
  RangeError,
  TypeError,
  Map,
  Set,
  WeakMap,
  WeakSet,
  Promise,
  ArrayBuffer,
  DataView,
  Uint8Array,
  Object.getPrototypeOf(Uint8Array),
  Buffer,
  URL,
  TextDecoder,
  TextEncoder,
  Intl.Segmenter,
];
const watched: readonly object[] = [
  ...constructors.flatMap((builtIn) => [builtIn, builtIn.prototype]),
  Object.getPrototypeOf([].values()),
  Object.getPrototypeOf(new Map().entries()),
  Object.getPrototypeOf(''.matchAll(/x/g)),
  JSON,
  Math,
  Reflect,
];

type Properties = ReadonlyMap<PropertyKey, PropertyDescriptor | undefined>;

function propertiesOf(object: object): Properties {
  return new Map(Reflect.ownKeys(object).map((key) => [key, Reflect.getOwnPropertyDescriptor(object, key)]));
}

function isSame(one: PropertyDescriptor | undefined, other: PropertyDescriptor | undefined): boolean {
  return Object.is(one?.value, other?.value) && one?.get === other?.get && one?.set === other?.set;
}

function areSame(one: Properties, other: Properties): boolean {
  return one.size === other.size && [...one].every(([key, property]) => isSame(property, other.get(key)));
}

/** Remembers the shared objects as they are; the answer tells whether they are still so. Some 0.1 ms each time. */
export function snapshotSharedObjects(): () => boolean {
  const before = watched.map(propertiesOf);
  return () => watched.every((object, at) => areSame(propertiesOf(object), before[at] ?? new Map()));
}
