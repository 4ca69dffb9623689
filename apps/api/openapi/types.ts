/** The parts of OpenAPI 3.1 that our document uses, named as in https://spec.openapis.org/oas/v3.1.1.html. */

/** JSON Schema 2020-12, which OpenAPI 3.1 takes as it is. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Reference {
  $ref: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required: boolean;
  schema: JsonSchema;
}

export interface Header {
  description: string;
  /** Whether every response that lists this header has it. */
  required?: boolean;
  schema: JsonSchema;
}

export interface MediaType {
  schema: JsonSchema;
  example?: unknown;
}

export interface Response {
  description: string;
  headers?: Record<string, Reference>;
  content?: Record<string, MediaType>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  /** Empty for a public operation. */
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, Response | Reference>;
}

export type PathItem = Partial<Record<'get' | 'post' | 'put' | 'patch' | 'delete', Operation>>;

export interface OpenApiDocument {
  openapi: '3.1.1';
  info: { title: string; version: string; description: string };
  servers: { url: string; description: string }[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  /** Requests that the service sends. */
  webhooks: Record<string, PathItem>;
  components: {
    securitySchemes: Record<string, JsonSchema>;
    headers: Record<string, Header>;
    responses: Record<string, Response>;
    schemas: Record<string, JsonSchema>;
  };
}
