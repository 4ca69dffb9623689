/** One example of each resource for the documentation; the OpenAPI linter checks that each is valid. */

const spaceId = '019a5f3e-8c1d-7a90-b3f4-0d6f5e2c7a11';
const collectionId = '019a5f3e-9b02-7c55-8e21-6a1f0c9d4b32';
const sourceId = '019a5f40-1d7e-7b1c-9a53-2f8e4d6c0b73';
const created = '2026-03-02T09:15:00.000Z';
const begun = '2026-03-02T09:15:00.212Z';
const finished = '2026-03-02T09:15:01.480Z';

const space = {
  id: spaceId,
  name: 'Release handbook',
  description: 'How we ship, and how we roll back.',
  createdAt: created,
  updatedAt: created,
};

const collection = {
  id: collectionId,
  name: 'Runbooks',
  parentId: null,
  sourceCount: 3,
  createdAt: created,
  updatedAt: created,
};

const position = { start: 0, end: 118, startLine: 1, endLine: 5 };

const context = {
  title: 'Rolling back',
  language: 'en',
  format: 'html',
  about: {
    author: 'Ada Lindqvist',
    publishedAt: '2026-02-27',
    siteName: 'Release handbook',
    canonicalUrl: 'https://example.com/rolling-back',
  },
  outline: [{ depth: 1, title: 'Rolling back', position }],
  statistics: { characters: 1840, words: 305, sentences: 21, tokens: 402, chunks: 2, readingSeconds: 80 },
  reading: { parser: '@mozilla/readability 0.6.0', parts: null, warnings: [], milliseconds: 41 },
};

const source = {
  id: sourceId,
  spaceId,
  collectionId,
  type: 'URI',
  name: 'Rolling back',
  status: 'COMPLETED',
  generation: 1,
  revision: 5,
  resultGeneration: 1,
  contextGeneration: 1,
  artifactsGeneration: 1,
  initial_data: { data: 'https://example.com/rolling-back' },
  instructions: { postback_url: 'https://example.com/hooks/context' },
  metadata: { team: 'platform', reviewed: true },
  externalId: 'wiki-4711',
  pinned: false,
  error: null,
  progress: null,
  postback: {
    id: '019a5f40-24aa-7f02-a0b6-5c9e1d3f8a90',
    state: 'delivered',
    attempts: 1,
    lastStatusCode: 204,
    nextAttemptAt: null,
  },
  stale: false,
  skippedMembers: [],
  contentType: 'text/html',
  sizeBytes: 14210,
  createdAt: created,
  updatedAt: finished,
  startedAt: begun,
  finishedAt: finished,
  deletedAt: null,
};

const apiKey = {
  id: '019a5f3e-7700-7d31-9c44-8b2a6f0e1d55',
  name: 'Build server',
  prefix: 'cws_',
  last4: 'x7Qd',
  scopes: ['read', 'write'],
  createdAt: created,
  expiresAt: null,
  lastUsedAt: finished,
};

const error = {
  error: 'Bad Request',
  message: 'The request is not valid.',
  code: 400,
  details: [{ field: 'name', message: 'Must have 1 to 200 characters.' }],
};

const finishedAlready = 'The source is COMPLETED already: there is nothing to cancel.';

const postback = {
  type: 'source.completed',
  timestamp: finished,
  data: {
    id: sourceId,
    spaceId,
    type: source.type,
    name: source.name,
    status: source.status,
    generation: source.generation,
    error: null,
    metadata: source.metadata,
    externalId: source.externalId,
    links: {
      source: `https://api.example.com/v1/sources/${sourceId}`,
      content: `https://api.example.com/v1/sources/${sourceId}/content`,
      artifacts: `https://api.example.com/v1/sources/${sourceId}/artifacts`,
    },
  },
};

export const examples = {
  space,
  spaceWithCounts: {
    ...space,
    sourceCounts: { CREATED: 0, PENDING: 0, PROCESSING: 1, COMPLETED: 12, FAILED: 0, CANCELED: 0 },
  },
  collection,
  collectionNode: { ...collection, children: [] },
  generationError: {
    code: 'fetch_http_status',
    stage: 'fetch',
    message: 'The server returned status 404. Nothing exists at this address: check the URL.',
    retryable: false,
  },
  source,
  sourceWithContext: { ...source, context },
  context,
  chunk: { index: 0, headings: ['Rolling back'], text: 'Stop the rollout first.', tokens: 5, position },
  artifact: {
    id: '019a5f40-2b10-7e66-8d0f-1a7c3e5b9f24',
    sourceId,
    spaceId,
    kind: 'code',
    title: 'Stop the rollout',
    content: 'kubectl rollout undo deployment/api',
    language: 'sh',
    position,
    metadata: {},
    status: 'EXTRACTED',
    promotedSourceId: null,
    createdAt: finished,
    updatedAt: finished,
  },
  usage: {
    plan: 'pro',
    sources: { used: 1_204, limit: 100_000 },
    storedBytes: { used: 734_003_200, limit: 107_374_182_400 },
    openRuns: { used: 3, limit: 1_000 },
    hostFetches: { limit: 60, hosts: [{ host: 'docs.example.com', used: 12 }] },
  },
  uploadGrant: {
    uploadUrl:
      'https://storage.example.com/context-workspace/uploads/4f0c9a7be21d4d5f8a6b3c2e1d0f9a8b/handbook.pdf?X-Amz-Signature=...',
    publicUrl: 'https://api.example.com/files/uploads/4f0c9a7be21d4d5f8a6b3c2e1d0f9a8b/handbook.pdf',
    fileKey: 'uploads/4f0c9a7be21d4d5f8a6b3c2e1d0f9a8b/handbook.pdf',
  },
  apiKey,
  createdApiKey: { ...apiKey, lastUsedAt: null, key: 'cws_<the key, shown this once>' },
  postback,
  postbackDelivery: {
    id: source.postback.id,
    generation: 1,
    url: 'https://example.com/hooks/context',
    state: 'delivered',
    reason: null,
    nextAttemptAt: null,
    createdAt: finished,
    attempts: [{ at: finished, statusCode: 204, durationMs: 86, response: '', error: null }],
  },
  ticket: {
    id: '019a5f41-7c03-7d1e-9b44-8e2a6f5d0c19',
    type: 'technical',
    status: 'PENDING',
    createdAt: finished,
  },
  postbackSecret: { secret: 'whsec_<base64>', previousSecret: null, previousExpiresAt: null },
  postbackTest: { delivered: true, statusCode: 204, durationMs: 86, response: '', error: null },
  generation: {
    generation: 1,
    trigger: 'create',
    cause: null,
    options: { run_context_extraction: true, run_artifact_extraction: true },
    outcome: 'COMPLETED',
    error: null,
    stage: null,
    stageTimes: { begin: begun, fetch: begun, context: finished, artifacts: finished, finish: finished },
    contentType: 'text/html',
    sizeBytes: 14210,
    unchanged: false,
    skippedMembers: [],
    createdAt: created,
    startedAt: begun,
    finishedAt: finished,
  },
  sourceActionDone: { id: sourceId, ok: true, source },
  sourceActionRefused: {
    id: sourceId,
    ok: false,
    error: {
      error: 'Conflict',
      message: finishedAlready,
      code: 409,
      details: [{ field: 'status', message: finishedAlready }],
    },
  },
  error,
};
