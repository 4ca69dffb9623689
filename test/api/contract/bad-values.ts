/** Invalid inputs derived from the schemas of the document: one per rule of a schema. */
import type { JsonSchema } from '../../../apps/api/openapi/types.ts';

export interface BadInput {
  problem: string;
  /** Dotted path that the error response must name. */
  field: string;
  input: Record<string, unknown>;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value of each JSON type; an integer is a number too. */
const samples: Record<string, unknown> = { string: 'x', number: 1.5, integer: 1, boolean: true, object: {}, array: [] };

/** The JSON types that a schema accepts; empty if it accepts every type. */
function typesOf(schema: JsonSchema): string[] {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.filter(isSchema).flatMap(typesOf);
  if (schema.const !== undefined) return [typeof schema.const];
  return [schema.type].flat().filter((type) => typeof type === 'string');
}

/** The branch of a nullable schema that is not null: it has the limits. */
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
    // Distinct, since some lists reject duplicates first.
    found.push([
      'too many',
      Array.from({ length: maxItems + 1 }, (_, n) => `019a5f40-1d7e-7b1c-9a53-${String(n).padStart(12, '0')}`),
    ]);
  }
  if (format !== undefined) found.push([`no ${format}`, 'x']);
  if (Array.isArray(schema.enum)) found.push(['not in the enum', 'nonsense']);
  return found;
}

/** `input` with another value at a path; `undefined` removes it. */
function put(input: unknown, [name, ...rest]: string[], value: unknown): Record<string, unknown> {
  const { [name ?? '']: inner, ...others } = isSchema(input) ? input : {};
  const changed = rest.length === 0 ? value : put(inner, rest, value);
  return changed === undefined ? others : { ...others, [name ?? '']: changed };
}

/** One invalid input per rule of an object schema; all else in it is as in `good`. */
export function badInputs(schema: JsonSchema, good: Record<string, unknown>, path: string[] = []): BadInput[] {
  const { properties, required, additionalProperties } = branchOf(schema);
  const bad = (problem: string, at: string[], value: unknown): BadInput => ({
    problem: `${at.join('.')}: ${problem}`,
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
    const wrong = [...wrongTypes(property), ...beyondLimits(property)];
    for (const [problem, value] of wrong) found.push(bad(problem, at, value));
    found.push(
      ...badItems(property, (problem, value) => ({ ...bad(problem, at, [value]), field: `${at.join('.')}.0` })),
    );
    if (typesOf(property).includes('object')) found.push(...badInputs(property, good, at));
  }
  return found;
}

/** Invalid items of a list. */
function badItems(given: JsonSchema, bad: (problem: string, item: unknown) => BadInput): BadInput[] {
  const schema = branchOf(given);
  if (schema.type !== 'array' || !isSchema(schema.items)) return [];
  return [...wrongTypes(schema.items), ...beyondLimits(schema.items)].map(([problem, item]) =>
    bad(`an item ${problem}`, item),
  );
}

/** Invalid values of a query parameter of this schema; the parameter itself is text. */
export function badParameter(name: string, schema: JsonSchema): BadInput[] {
  const types = typesOf(schema);
  const wrong: [string, unknown][] = types.includes('string') ? [] : [[`no ${types.join(' or ')}`, 'nonsense']];
  return [...wrong, ...beyondLimits(schema)].map(([problem, value]) => ({
    problem: `${name}: ${problem}`,
    field: name,
    input: { [name]: value },
  }));
}
