/** What a schema of the document forbids, derived from the schema: one bad input for each rule that it states. */
import type { JsonSchema } from '../../../apps/api/openapi/types.ts';

export interface BadInput {
  what: string;
  /** Dotted path that the refusal has to name. */
  field: string;
  input: Record<string, unknown>;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value of each JSON type; an integer is a number too. */
const samples: Record<string, unknown> = { string: 'x', number: 1.5, integer: 1, boolean: true, object: {}, array: [] };

/** The JSON types that a schema takes; none where it takes everything. */
function typesOf(schema: JsonSchema): string[] {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.filter(isSchema).flatMap(typesOf);
  if (schema.const !== undefined) return [typeof schema.const];
  return [schema.type].flat().filter((type) => typeof type === 'string');
}

/** The branch of a schema that is not null: where its limits stand. */
function branchOf(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.anyOf)) return schema;
  return schema.anyOf.filter(isSchema).find(({ type }) => type !== 'null') ?? schema;
}

function wrongTypes(schema: JsonSchema): [string, unknown][] {
  const types = typesOf(schema);
  if (types.length === 0) return [];
  const taken = types.includes('number') ? [...types, 'integer'] : types;
  const wrong = Object.entries(samples).filter(([type]) => !taken.includes(type));
  return [...wrong, ...(types.includes('null') ? [] : [['null', null] satisfies [string, unknown]])];
}

/** Values of the right type beyond the limits. */
function beyondLimits(given: JsonSchema): [string, unknown][] {
  const schema = branchOf(given);
  const found: [string, unknown][] = [];
  const { maxLength, minLength, minimum, maximum, maxItems, minItems, format } = schema;
  if (typeof maxLength === 'number') found.push(['too long', 'a'.repeat(maxLength + 1)]);
  if (typeof minLength === 'number') found.push(['too short', 'a'.repeat(minLength - 1)]);
  if (typeof minimum === 'number') found.push(['too small', minimum - 1]);
  if (typeof maximum === 'number') found.push(['too large', maximum + 1]);
  if (typeof minItems === 'number') found.push(['too few', []]);
  if (typeof maxItems === 'number') {
    // Distinct, since some lists refuse repetitions first.
    found.push([
      'too many',
      Array.from({ length: maxItems + 1 }, (_, n) => `019a5f40-1d7e-7b1c-9a53-${String(n).padStart(12, '0')}`),
    ]);
  }
  if (format !== undefined) found.push([`no ${format}`, 'x']);
  if (Array.isArray(schema.enum)) found.push(['no such word', 'nonsense']);
  return found;
}

/** `input` with another value at a path; `undefined` removes it. */
function put(input: unknown, [name, ...rest]: string[], value: unknown): Record<string, unknown> {
  const { [name ?? '']: inner, ...others } = isSchema(input) ? input : {};
  const changed = rest.length === 0 ? value : put(inner, rest, value);
  return changed === undefined ? others : { ...others, [name ?? '']: changed };
}

/** Every way in which an object of this schema can be wrong, each put into an input that is good otherwise. */
export function badInputs(schema: JsonSchema, good: Record<string, unknown>, path: string[] = []): BadInput[] {
  const { properties, required, additionalProperties } = branchOf(schema);
  const bad = (what: string, at: string[], value: unknown): BadInput => ({
    what: `${at.join('.')}: ${what}`,
    field: at.join('.'),
    input: put(good, at, value),
  });
  const found: BadInput[] = [];
  if (additionalProperties === false) found.push(bad('unknown', [...path, 'nonsense'], 'x'));
  else if (isSchema(additionalProperties)) {
    for (const [type, value] of wrongTypes(additionalProperties)) found.push(bad(type, [...path, 'nonsense'], value));
  }
  for (const [name, property] of Object.entries(isSchema(properties) ? properties : {})) {
    if (!isSchema(property)) continue;
    const at = [...path, name];
    if (Array.isArray(required) && required.includes(name)) found.push(bad('missing', at, undefined));
    for (const [what, value] of [...wrongTypes(property), ...beyondLimits(property)]) found.push(bad(what, at, value));
    found.push(...badItems(property, (what, value) => ({ ...bad(what, at, [value]), field: `${at.join('.')}.0` })));
    if (typesOf(property).includes('object')) found.push(...badInputs(property, good, at));
  }
  return found;
}

/** Items of a list that are wrong. */
function badItems(given: JsonSchema, bad: (what: string, item: unknown) => BadInput): BadInput[] {
  const schema = branchOf(given);
  if (schema.type !== 'array' || !isSchema(schema.items)) return [];
  return [...wrongTypes(schema.items), ...beyondLimits(schema.items)].map(([what, item]) =>
    bad(`an item ${what}`, item),
  );
}

/** What a query parameter of this schema refuses; what stands there is text. */
export function badParameter(name: string, schema: JsonSchema): BadInput[] {
  const types = typesOf(schema);
  const wrong: [string, unknown][] = types.includes('string') ? [] : [[`no ${types.join(' or ')}`, 'nonsense']];
  return [...wrong, ...beyondLimits(schema)].map(([what, value]) => ({
    what: `${name}: ${what}`,
    field: name,
    input: { [name]: value },
  }));
}
