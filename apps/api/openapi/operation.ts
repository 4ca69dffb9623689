/** A procedure as an operation of the document. */
import { z } from 'zod';
import { type RestOperation, takesBody } from '../http/rest.ts';
import { responsesOf, takesIdempotencyKey } from './responses.ts';
import type { SchemaComponents } from './schemas.ts';
import type { JsonSchema, Operation, Parameter } from './types.ts';

const objectSchema = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

/** The names in braces in a path. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** `apiKeyId` as `api key`. */
function wordsOf(parameter: string): string {
  return parameter.replace(/Id$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A repeated request with the same key within 24 h gets the stored response and has no second effect. Use a new random key for each request that you may have to repeat.',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$', examples: ['6f1c2a9e-order-4711'] },
};

function describe(schema: JsonSchema, fallback: string): string {
  return typeof schema.description === 'string' ? schema.description : fallback;
}

/** The input's fields: path parameters, and the rest for the query string or the body. */
function fieldsOf(operation: RestOperation, components: SchemaComponents) {
  const translated = operation.input === null ? {} : components.translate(operation.input, 'input');
  const { properties, required } = objectSchema.parse(translated);
  const inPath = parametersOf(operation.meta.rest.path);
  const rest = Object.entries(properties).filter(([name]) => !inPath.includes(name));
  return { inPath, rest, required: required.filter((name) => !inPath.includes(name)) };
}

function bodyOf(
  operation: RestOperation,
  fields: ReturnType<typeof fieldsOf>,
  components: SchemaComponents,
): NonNullable<Operation['requestBody']> {
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.rest),
    ...(fields.required.length > 0 ? { required: fields.required } : {}),
    additionalProperties: false,
  };
  const example = operation.meta.example ?? components.exampleOf(schema);
  return { required: fields.required.length > 0, content: { 'application/json': { schema, example } } };
}

function parameters(operation: RestOperation, fields: ReturnType<typeof fieldsOf>): Parameter[] {
  const inPath = fields.inPath.map(
    (name): Parameter => ({
      name,
      in: 'path',
      description: `The id of the ${wordsOf(name)}.`,
      required: true,
      schema: { type: 'string' },
    }),
  );
  const query = takesBody(operation)
    ? []
    : fields.rest.map(
        ([name, { description, ...schema }]): Parameter => ({
          // A stream resumes after the event in the header Last-Event-ID.
          ...(name === 'lastEventId' ? { name: 'Last-Event-ID', in: 'header' } : { name, in: 'query' }),
          description: describe({ description }, `Only items with this \`${name}\`.`),
          required: fields.required.includes(name),
          schema,
        }),
      );
  return [...inPath, ...query, ...(takesIdempotencyKey(operation) ? [idempotencyKey] : [])];
}

/** The tag of an operation: the noun before the dot in its name. */
export function tagOf({ name }: Pick<RestOperation, 'name'>): string {
  return name.slice(0, name.indexOf('.'));
}

/** The operation in the document; named schemas are added to `components`. */
export function toOperation(operation: RestOperation, components: SchemaComponents): Operation {
  const { summary, description } = operation.meta;
  const fields = fieldsOf(operation, components);
  const params = parameters(operation, fields);
  return {
    operationId: operation.name,
    tags: [tagOf(operation)],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(params.length > 0 ? { parameters: params } : {}),
    ...(takesBody(operation) && fields.rest.length > 0 ? { requestBody: bodyOf(operation, fields, components) } : {}),
    responses: responsesOf(operation, components),
  };
}
