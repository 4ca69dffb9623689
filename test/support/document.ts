/** Every answer that a test sees is compared with the document at /openapi.json of the API that gave it. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { NotToBeAwaited } from './until.ts';

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

export interface SeenAnswer {
  method: string;
  /** Of the API that answered. */
  origin: string;
  /** As it was sent, without its query string. */
  path: string;
  status: number;
  headers: Headers;
  /** Parsed where it is JSON. */
  body: unknown;
}

type Check = (answer: SeenAnswer) => string | null;

function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A parameter is one segment, except for a file's key, which holds slashes. */
function patternOf(template: string): RegExp {
  const parameter = template.startsWith('/files/') ? '.+' : '[^/]*';
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, parameter).replaceAll('.', '[.]')}$`);
}

/** What a document makes of an answer: null, or what is wrong with it. */
function checksOf(json: unknown): Check {
  const { paths, components } = documentSchema.parse(json);
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(z.record(z.string(), z.unknown()).parse(json), 'document');
  // Templates without parameters first: `/sources/actions` is no id.
  const templates = Object.keys(paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((template) => ({ template, pattern: patternOf(template) }));

  function validate(pointer: string, body: unknown): string | null {
    const check: ValidateFunction | undefined = ajv.getSchema(`document#${pointer}`);
    if (check === undefined) return `the document holds no schema at ${pointer}`;
    return check(body) ? null : ajv.errorsText(check.errors, { dataVar: 'body', separator: '\n  ' });
  }

  /** Headers that the document knows: those of this answer stand there, and what is required is here. */
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
      return status === 405 ? null : `${method} ${template} is not in the document and was answered ${status}`;
    }
    const response = operation.responses[status];
    if (response === undefined) {
      // The document knows no HEAD, which streams refuse.
      if (method === 'HEAD' && status === 405) return null;
      return `${method} ${template} was answered ${status}, and the document names ${Object.keys(operation.responses)}`;
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
    return wrong === null ? null : `${method} ${template} ${status} does not fit its schema:\n  ${wrong}`;
  };
}

let checks: Promise<Check> | undefined;

/** @throws NotToBeAwaited when the document of the answering API does not foresee this answer. */
export async function expectDocumented(answer: SeenAnswer): Promise<void> {
  checks ??= fetch(`${answer.origin}/openapi.json`)
    .then((response) => response.json())
    .then(checksOf);
  const wrong = (await checks)(answer);
  if (wrong !== null) throw new NotToBeAwaited(`The answer and /openapi.json differ: ${wrong}`);
}
