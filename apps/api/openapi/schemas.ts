/** zod schemas as JSON Schema. A schema with an id is written once, under `components`, and referenced elsewhere. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { JsonSchema } from './types.ts';

const DEFINITIONS = '#/$defs/';
const COMPONENTS = '#/components/schemas/';

/** Formats whose name makes their pattern redundant. */
const namedFormats: readonly unknown[] = ['date-time', 'uuid', 'uri', 'email'];

function isSchema(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Turns a record with a fixed set of keys into an object with these properties. */
function nameFields(jsonSchema: Record<string, unknown>): void {
  const { propertyNames, additionalProperties, required } = jsonSchema;
  if (!isSchema(propertyNames) || !Array.isArray(propertyNames.enum) || required === undefined) return;
  jsonSchema.properties = Object.fromEntries(propertyNames.enum.map((name) => [name, additionalProperties]));
  jsonSchema.additionalProperties = false;
  delete jsonSchema.propertyNames;
}

/** Removes what only zod needs: patterns of named formats, and the bounds of safe integers. */
function simplify({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  if (namedFormats.includes(jsonSchema.format)) delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  nameFields(jsonSchema);
}

/** Translates schemas, and collects the named ones among them. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonSchema> = {};

  /** `schema` as JSON Schema, for requests (`input`) or responses (`output`). */
  translate(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const translated = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: simplify });
    // References into the schema itself become references into the document.
    const moved: unknown = JSON.parse(JSON.stringify(translated), (key, value) =>
      key === '$ref' && typeof value === 'string' ? value.replace(DEFINITIONS, COMPONENTS) : value,
    );
    if (!isSchema(moved)) throw new Error('The translation of a schema is not an object.');
    const { $schema: _, $defs = {}, id, ...root } = moved;
    if (isSchema($defs)) for (const [name, definition] of Object.entries($defs)) this.#add(name, definition);
    if (typeof id !== 'string') return root;
    // Newer versions of zod do not move a named root to $defs.
    this.#add(id, root);
    return { $ref: `${COMPONENTS}${id}` };
  }

  #add(name: string, definition: unknown): void {
    if (name.startsWith('__')) throw new Error('A recursive schema needs an id in its meta.');
    if (!isSchema(definition)) throw new Error(`The translation of the schema ${name} is not an object.`);
    const { id: _, ...schema } = definition;
    const known = this.schemas[name];
    if (known !== undefined && !isDeepStrictEqual(known, schema)) throw new Error(`Two schemas are called ${name}.`);
    this.schemas[name] = schema;
  }

  /** The target of a reference; other schemas are returned unchanged. */
  #resolve(schema: JsonSchema): JsonSchema {
    const { $ref } = schema;
    return typeof $ref === 'string' ? (this.schemas[$ref.slice(COMPONENTS.length)] ?? {}) : schema;
  }

  /** A value that fits a schema: its example, or one composed of its parts without optional fields. */
  exampleOf(given: JsonSchema): unknown {
    const schema = this.#resolve(given);
    if (Array.isArray(schema.examples)) return schema.examples[0];
    if ('default' in schema) return schema.default;
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum)) return schema.enum[0];
    const [first] = [schema.anyOf ?? schema.oneOf].flat();
    if (isSchema(first)) return this.exampleOf(first);
    const type = [schema.type].flat()[0];
    if (type === 'object') return this.#exampleOfObject(schema);
    if (type === 'array') return isSchema(schema.items) ? [this.exampleOf(schema.items)] : [];
    if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
    if (type === 'boolean') return true;
    if (type === 'null') return null;
    const formats: Record<string, string> = {
      'date-time': '2026-03-02T09:15:00.000Z',
      uuid: '019a5f40-1d7e-7b1c-9a53-2f8e4d6c0b73',
      uri: 'https://example.com/',
      email: 'person@example.com',
    };
    return formats[String(schema.format)] ?? 'text';
  }

  #exampleOfObject({ properties, required = [] }: JsonSchema): Record<string, unknown> {
    if (!isSchema(properties) || !Array.isArray(required)) return {};
    return Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]) =>
        required.includes(name) && isSchema(property) ? [[name, this.exampleOf(property)]] : [],
      ),
    );
  }
}
