/** Validates every response in tests against the OpenAPI document of the API that sent it. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { FinalError } from './until.ts';

const responseSchema = z.object({
  $ref: z.string().optional(),
  headers: z.record(z.string(), z.unknown()).default({}),
  content: z.record(z.string(), z.unknown()).optional(),
});
const operationSchema = z.object({ responses: z.record(z.string(), responseSchema) });
const documentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.object({
    responses: operationSchema.shape.responses,
    headers: z.record(z.string(), z.object({ required: z.boolean().default(false) })),
  }),
});

const RESPONSES = '#/components/responses/';

export interface ObservedResponse {
  method: string;
  /** Origin of the API that responded. */
  origin: string;
  /** Request path without the query string. */
  path: string;
  status: number;
  headers: Headers;
  /** Parsed if it is JSON. */
  body: unknown;
}

/** Returns the difference from the document, or null. */
type Check = (response: ObservedResponse) => string | null;

function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A parameter matches one segment, except a file's key, which contains slashes. */
function patternOf(template: string): RegExp {
  const parameter = template.startsWith('/files/') ? '.+' : '[^/]*';
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, parameter).replaceAll('.', '[.]')}$`);
}

/** Returns the check of responses against an OpenAPI document. */
function createCheck(json: unknown): Check {
  const { paths, components } = documentSchema.parse(json);
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(z.record(z.string(), z.unknown()).parse(json), 'document');
  // Templates with fewer parameters first, so that `/sources/actions` is not matched as an id.
  const templates = Object.keys(paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((template) => ({ template, pattern: patternOf(template) }));

  function validate(pointer: string, body: unknown): string | null {
    const check: ValidateFunction | undefined = ajv.getSchema(`document#${pointer}`);
    if (check === undefined) return `the document has no schema at ${pointer}`;
    return check(body) ? null : ajv.errorsText(check.errors, { dataVar: 'body', separator: '\n  ' });
  }

  /** Returns undocumented and missing required headers of the response, among those that the document defines. */
  function wrongHeaders(documented: Record<string, unknown>, headers: Headers): string[] {
    return Object.entries(components.headers).flatMap(([name, { required }]) => {
      const named = Object.hasOwn(documented, name);
      if (headers.has(name)) return named ? [] : [`has ${name}`];
      return named && required ? [`lacks ${name}`] : [];
    });
  }

  return ({ method, path, status, headers, body }) => {
    const plain = path.replace(/^\/api\/v1(?=\/|$)/, '/v1');
    const template = templates.find(({ pattern }) => pattern.test(plain))?.template;
    if (template === undefined) return null;
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = paths[template]?.[verb];
    if (operation === undefined) {
      return status === 405 ? null : `${method} ${template} returned ${status} and is not in the document`;
    }
    const response = operation.responses[status];
    if (response === undefined) {
      // The document has no HEAD operations; streams reject HEAD with 405.
      if (method === 'HEAD' && status === 405) return null;
      return `${method} ${template} returned ${status}, the document has ${Object.keys(operation.responses)}`;
    }
    const named = response.$ref ? components.responses[response.$ref.slice(RESPONSES.length)] : response;
    const { content, headers: documented = {} } = named ?? {};
    const [wrongHeader] = wrongHeaders(documented, headers);
    if (wrongHeader !== undefined) return `${method} ${template} ${status} ${wrongHeader}`;
    if (method === 'HEAD') return null;
    if (content === undefined) return body === '' ? null : `${method} ${template} ${status} has a body`;
    const contentType = headers.get('content-type');
    const type = Object.keys(content).find((name) => contentType?.startsWith(name));
    if (type === undefined) return `${method} ${template} ${status} is ${contentType}, not ${Object.keys(content)}`;
    const at = response.$ref ? response.$ref.slice(1) : `/paths/${escapePointer(template)}/${verb}/responses/${status}`;
    const wrong = validate(`${at}/content/${escapePointer(type)}/schema`, body);
    return wrong === null ? null : `${method} ${template} ${status} does not match its schema:\n  ${wrong}`;
  };
}

let check: Promise<Check> | undefined;

/** @throws FinalError when the response contradicts the OpenAPI document of its API. */
export async function expectDocumented(response: ObservedResponse): Promise<void> {
  check ??= fetch(`${response.origin}/openapi.json`)
    .then((document) => document.json())
    .then(createCheck);
  const difference = (await check)(response);
  if (difference !== null) throw new FinalError(`The response contradicts /openapi.json: ${difference}`);
}
