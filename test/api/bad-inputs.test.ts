/**
 * Invalid requests, one per line, with the exact status and message of the error response. None is a 5xx.
 * The last column is `details` by field (object), or the message of a response without details (string).
 */
import { STATUS_CODES } from 'node:http';
import { gzipSync } from 'node:zlib';
import { fill, type Placeholders, preparePlaceholders } from './bad-places.ts';
import { errorOf, wire } from './wire.ts';

let placeholders: Placeholders;
beforeAll(async () => {
  placeholders = await preparePlaceholders();
});

interface Sent {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  bytes?: string | Uint8Array;
  headers?: Record<string, string>;
  /** The whole Authorization header; null for no header, undefined for the user's key. */
  authorization?: string | null;
  /** Headers that the response must have. */
  responseHeaders?: Record<string, string>;
}
type Row = [name: string, target: string, sent: Sent, status: number, expected: string | Record<string, string>];

const json = { 'content-type': 'application/json' };
const required = 'Required.';
const unknown = 'Unknown field.';
const notText = 'Invalid input: expected string, received number';
const notObject = (what: string) => `Invalid input: expected object, received ${what}`;
const notJson = { body: 'Not valid JSON.' };
const notAnObject = { body: 'Must be a JSON object.' };
const wrongMediaType = 'The body must be sent as application/json in UTF-8.';
const noCoding = 'The body must be sent without a Content-Encoding.';
const tooLarge = 'The body is too large.';
const noKey = 'Send a valid API key as "Authorization: Bearer <API_KEY>".';
const noWrite = 'This API key lacks the scope "write".';
const nameLength = 'Must have 1 to 200 characters.';
const notAnId = 'Must be an id.';
const nul = 'Must not contain U+0000.';
const lone = 'Must not contain lone surrogates.';
const limits = 'Must be a number from 1 to 100.';
const notThisCursor = 'Not a cursor of this list: send nextCursor of its last page, with the same filters.';
const noPath = 'There is nothing at this path.';
const badUrl = { request: 'The path is not a valid URL.' };
const privateAddress = 'Must not lead to a private or reserved address.';
const notUrl = 'Must be a complete http or https URL.';
const notUpload = 'Must be the fileKey of your upload: PUT the file to its uploadUrl first.';
const noProcedure = 'There is no such procedure.';
const bearer = { 'www-authenticate': 'Bearer' };

const SPACES = 'POST /v1/spaces';
const SOURCES = 'POST /v1/spaces/$space/sources';
const COLLECTIONS = 'POST /v1/spaces/$space/collections';
const REFRESH = 'POST /v1/sources/$source/refresh';
const REPROCESS = 'POST /v1/sources/$source/reprocess';
const KEYS = 'POST /v1/api-keys';
const UPLOAD = 'POST /v1/upload/s3';

const source = (body: object): Sent => ({
  body: { type: 'CONTENT', initial_data: { data: 'a' }, instructions: {}, ...body },
});
const uri = (data: unknown) => source({ type: 'URI', initial_data: { data } });
const file = (data: unknown) => source({ type: 'FILE', initial_data: { data } });
const members = (data: unknown) => source({ type: 'COMPOSITION', initial_data: { data } });
const data = (message: string) => ({ 'initial_data.data': message });
const postback = (url: unknown) => source({ instructions: { postback_url: url } });
const grant = (body: object): Sent => ({
  body: { filename: 'a.pdf', contentType: 'application/pdf', size: 1, ...body },
});
const nested = (levels: number) => `{"name":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const as = (authorization: string | null): Sent => ({ authorization, body: { name: 'S' } });

// biome-ignore format: one request per line
const rows: Row[] = [
  // Authentication
  ['no key', SPACES, { ...as(null), responseHeaders: bearer }, 401, noKey],
  ['an empty Authorization', SPACES, { ...as(''), responseHeaders: bearer }, 401, noKey],
  ['a scheme alone', SPACES, as('Bearer'), 401, noKey],
  ['another scheme', SPACES, as('Basic dTpw'), 401, noKey],
  ['a key without its scheme', SPACES, as('$key'), 401, noKey],
  ['a malformed key', SPACES, as('Bearer abc'), 401, noKey],
  ['a key with a wrong checksum', SPACES, as('Bearer $mistypedKey'), 401, noKey],
  ['a well-formed unknown key', SPACES, as('Bearer $unknownKey'), 401, noKey],
  ['two keys', SPACES, as('Bearer $key, Bearer $key'), 401, noKey],
  ['a very long key', SPACES, as(`Bearer ${'a'.repeat(8_000)}`), 401, noKey],
  ['a deleted key', SPACES, as('Bearer $deletedKey'), 401, noKey],
  ['an expired key', SPACES, as('Bearer $expiredKey'), 401, noKey],
  ['a key of a disabled user', SPACES, as('Bearer $disabledKey'), 401, noKey],
  ['no key, and a body that is not JSON', SOURCES, { authorization: null, bytes: '{', headers: json }, 401, noKey],
  ['no key, and a wrong media type', SPACES, { authorization: null, bytes: 'a', headers: { 'content-type': 'text/plain' } }, 401, noKey],
  ['a create with a read key', SPACES, as('Bearer $readKey'), 403, noWrite],
  ['a cancel with a read key', 'POST /v1/sources/$source/cancel', { authorization: 'Bearer $readKey' }, 403, noWrite],
  ['a creation of a key with a read key', KEYS, { ...as('Bearer $readKey') }, 403, noWrite],
  ['the postback secret with a read key', 'GET /v1/postback-secret', { authorization: 'Bearer $readKey' }, 403, noWrite],
  ['an invalid body with a read key', SPACES, { ...as('Bearer $readKey'), body: {} }, 403, noWrite],

  // Paths and methods
  ['the root', 'GET /', {}, 404, noPath],
  ['an unknown path', 'GET /v1/nothing', {}, 404, noPath],
  ['the prefix alone', 'GET /v1', {}, 404, noPath],
  ['another version', 'GET /v2/spaces', {}, 404, noPath],
  ['an empty id', 'GET /v1/spaces/', {}, 404, 'There is no such space.'],
  ['two slashes', 'GET /v1//spaces', {}, 404, noPath],
  ['capitals', 'GET /V1/spaces', {}, 404, noPath],
  ['dot segments', 'GET /v1/../health', {}, 404, noPath],
  ['a path that is not a URL', 'GET /v1/%zz', {}, 400, badUrl],
  ['a path that is not UTF-8', 'GET /v1/spaces/%ff', {}, 400, badUrl],
  ['a lone surrogate in the path', 'GET /v1/spaces/%ED%A0%80', {}, 400, badUrl],
  ['U+0000 in the path', 'GET /v1/spaces/%00', {}, 400, { spaceId: nul }],
  ['an unknown file', 'GET /files/uploads/0/a', { authorization: null }, 404, 'There is no such file.'],
  ['a file with U+0000', 'GET /files/uploads/%00', { authorization: null }, 404, 'There is no such file.'],
  ['a granted file that is not uploaded yet', 'GET /files/$unfinishedFile', { authorization: null }, 404, 'There is no such file.'],
  ['PUT on spaces', 'PUT /v1/spaces', { body: {}, responseHeaders: { allow: 'GET, HEAD, POST' } }, 405, 'PUT is not allowed here; use GET, HEAD, POST.'],
  ['DELETE on spaces', 'DELETE /api/v1/spaces', { responseHeaders: { allow: 'GET, HEAD, POST' } }, 405, 'DELETE is not allowed here; use GET, HEAD, POST.'],
  ['GET on a promote', 'GET /v1/source-artifact/$unknownId/promote', { responseHeaders: { allow: 'PUT' } }, 405, 'GET is not allowed here; use PUT.'],
  ['GET on a cancel', 'GET /v1/sources/$source/cancel', { responseHeaders: { allow: 'POST' } }, 405, 'GET is not allowed here; use POST.'],
  ['OPTIONS', 'OPTIONS /v1/spaces', { responseHeaders: { allow: 'GET, HEAD, POST' } }, 405, 'OPTIONS is not allowed here; use GET, HEAD, POST.'],
  ['TRACE', 'TRACE /v1/spaces', { responseHeaders: { allow: 'GET, HEAD, POST' } }, 405, 'TRACE is not allowed here; use GET, HEAD, POST.'],
  ['PROPFIND', 'PROPFIND /v1/spaces', { responseHeaders: { allow: 'GET, HEAD, POST' } }, 405, 'PROPFIND is not allowed here; use GET, HEAD, POST.'],
  ['POST on health', 'POST /health', { body: {}, authorization: null, responseHeaders: { allow: 'GET, HEAD' } }, 405, 'POST is not allowed here; use GET, HEAD.'],
  ['POST on metrics', 'POST /metrics', { bytes: 'a', authorization: null, responseHeaders: { allow: 'GET, HEAD' } }, 405, 'POST is not allowed here; use GET, HEAD.'],
  ['a wrong method with a wrong media type', 'PUT /v1/spaces', { bytes: 'a', headers: { 'content-type': 'text/plain' } }, 405, 'PUT is not allowed here; use GET, HEAD, POST.'],

  // Ids in paths: malformed, unknown and another owner's ids have the same response
  ['a malformed space', 'GET /v1/spaces/abc', {}, 404, 'There is no such space.'],
  ['an unknown space', 'GET /v1/spaces/$unknownId', {}, 404, 'There is no such space.'],
  ["another owner's space", 'GET /v1/spaces/$othersSpace', {}, 404, 'There is no such space.'],
  ['a space as an injection', "GET /v1/spaces/'%20or%201=1", {}, 404, 'There is no such space.'],
  ['a very long id', `GET /v1/spaces/${'a'.repeat(10_000)}`, {}, 404, 'There is no such space.'],
  ['an id in braces', 'GET /v1/sources/%7B$source%7D', {}, 404, 'There is no such source.'],
  ['an id without hyphens', 'GET /v1/sources/01890000000070008000000000000000', {}, 404, 'There is no such source.'],
  ['a malformed collection', 'GET /v1/collections/1/sources', {}, 404, 'There is no such collection.'],
  ['a malformed artifact', 'PUT /v1/source-artifact/1/promote', {}, 404, 'There is no such artifact.'],
  ['a malformed key', 'DELETE /v1/api-keys/1', {}, 404, 'There is no such key.'],
  ['a source created in a malformed space', 'POST /v1/spaces/1/sources', source({}), 404, 'There is no such space.'],
  ["a refresh of another owner's source", 'POST /v1/sources/$othersSource/refresh', {}, 404, 'There is no such source.'],

  // The query string
  ['limit 0', 'GET /v1/spaces?limit=0', {}, 400, { limit: limits }],
  ['limit 101', 'GET /v1/spaces?limit=101', {}, 400, { limit: limits }],
  ['limit -1', 'GET /v1/spaces?limit=-1', {}, 400, { limit: limits }],
  ['limit 1.5', 'GET /v1/spaces?limit=1.5', {}, 400, { limit: limits }],
  ['a limit that is not a number', 'GET /v1/spaces?limit=abc', {}, 400, { limit: limits }],
  ['an empty limit', 'GET /v1/spaces?limit=', {}, 400, { limit: limits }],
  ['a limit beyond a double', `GET /v1/spaces?limit=${'9'.repeat(400)}`, {}, 400, { limit: 'Must be a number that a double can hold.' }],
  ['a limit twice', 'GET /v1/spaces?limit=1&limit=2', {}, 400, { limit: limits }],
  ['a malformed cursor', 'GET /v1/spaces?cursor=abc', {}, 400, { cursor: notThisCursor }],
  ['an invalid limit and a malformed cursor', 'GET /v1/spaces?limit=0&cursor=abc', {}, 400, { limit: limits, cursor: notThisCursor }],
  ['an empty cursor', 'GET /v1/spaces?cursor=', {}, 400, { cursor: notThisCursor }],
  ['a cursor of another list', 'GET /v1/spaces/$space/sources?cursor=$cursorOfSpaces', {}, 400, { cursor: notThisCursor }],
  ['a cursor twice', 'GET /v1/spaces?cursor=a&cursor=b', {}, 400, { cursor: 'Invalid input: expected string, received array' }],
  ['an unknown status', 'GET /v1/spaces/$space/sources?status=DONE', {}, 400, { status: 'Invalid option: expected one of "CREATED"|"PENDING"|"PROCESSING"|"COMPLETED"|"FAILED"|"CANCELED"' }],
  ['a type in lower case', 'GET /v1/spaces/$space/sources?type=uri', {}, 400, { type: 'Invalid option: expected one of "URI"|"FILE"|"CONTENT"|"COMPOSITION"' }],
  ['an unknown parameter', 'GET /v1/spaces?page=2', {}, 400, { page: unknown }],
  ['__proto__ as a parameter', 'GET /v1/spaces?__proto__=2', {}, 400, { __proto__x: '' }],
  ['a path parameter in the query string', 'GET /v1/spaces/$space?spaceId=$unknownId', {}, 400, { spaceId: unknown }],
  ['a query string on a POST', 'POST /v1/spaces?name=S', { body: { name: 'S' } }, 400, { name: unknown }],
  ['U+0000 in the query string', 'GET /v1/spaces?cursor=%00', {}, 400, { cursor: nul }],
  ['U+0000 as a parameter', 'GET /v1/spaces?a%00b=1', {}, 400, { 'a\uFFFDb': 'The name of a field must not contain U+0000 or lone surrogates.' }],

  // JSON bodies
  ['truncated JSON', SPACES, { bytes: '{"name":', headers: json }, 400, notJson],
  ['a body that is not JSON', SPACES, { bytes: 'name=S', headers: json }, 400, notJson],
  ['two JSON values', SPACES, { bytes: '{}{}', headers: json }, 400, notJson],
  ['single quotes', SPACES, { bytes: "{'name':'S'}", headers: json }, 400, notJson],
  ['NaN', SPACES, { bytes: '{"name":NaN}', headers: json }, 400, notJson],
  ['white space alone', SPACES, { bytes: ' ', headers: json }, 400, notJson],
  ['a body that is not UTF-8', SPACES, { bytes: Buffer.from('{"name":"\xe4"}', 'latin1'), headers: json }, 400, { body: 'Must be UTF-8.' }],
  ['a body in UTF-16', SPACES, { bytes: Buffer.from('\uFEFF{"name":"S"}', 'utf16le'), headers: json }, 400, { body: 'Must be UTF-8.' }],
  ['an array', SPACES, { body: [] }, 400, notAnObject],
  ['null', SPACES, { body: null }, 400, notAnObject],
  ['a string', SPACES, { body: 'a' }, 400, notAnObject],
  ['a number', SPACES, { body: 1 }, 400, notAnObject],
  ['no body where a field is required', SPACES, {}, 400, { name: required }],
  ['an empty body where a field is required', SPACES, { bytes: '', headers: json }, 400, { name: required }],
  ['an empty object', SPACES, { body: {} }, 400, { name: required }],
  ['null where the body is optional', REFRESH, { body: null }, 400, notAnObject],
  ['__proto__', SPACES, { bytes: '{"name":"S","__proto__":{}}', headers: json }, 400, { __proto__x: '' }],
  ['__proto__ where unknown keys are kept', SOURCES, { bytes: '{"type":"CONTENT","initial_data":{"data":"a"},"instructions":{"__proto__":{"a":1}}}', headers: json }, 400, { 'instructions.__proto__': 'This name is not allowed.' }],
  ['an unknown field', SPACES, { body: { name: 'S', colour: 'red' } }, 400, { colour: unknown }],
  ['three unknown fields', SPACES, { body: { name: 'S', a: 1, b: 2, toString: 3 } }, 400, { a: unknown, b: unknown, toString: unknown }],
  ['a path parameter in the body', SOURCES, source({ spaceId: '$space' }), 400, { spaceId: unknown }],
  ['100 levels of nesting', SPACES, { bytes: nested(100), headers: json }, 400, { body: 'Must not nest deeper than 100 levels.' }],
  ['100,000 levels of nesting', SPACES, { bytes: nested(100_000), headers: json }, 400, { body: 'Must not nest deeper than 100 levels.' }],
  ['101 levels that are not closed', SPACES, { bytes: '['.repeat(101), headers: json }, 400, { body: 'Must not nest deeper than 100 levels.' }],
  ['brackets in a text', SPACES, { bytes: `{"name":"${'['.repeat(201)}"}`, headers: json }, 400, { name: nameLength }],
  ['brackets behind an escaped quotation mark', SPACES, { bytes: `{"name":"\\"${'['.repeat(201)}"}`, headers: json }, 400, { name: nameLength }],
  ['10,001 entries', SPACES, { bytes: `{"name":[${'0,'.repeat(10_000)}0]}`, headers: json }, 400, { body: 'Must have at most 10000 entries in all.' }],
  ['10,001 entries through tRPC', 'POST /trpc/spaces.create', { bytes: `{"name":[${'0,'.repeat(10_000)}0]}`, headers: json }, 400, { body: 'Must have at most 10000 entries in all.' }],
  ['a field on a GET', 'GET /v1/spaces', { body: { limit: 1 } }, 400, { body: 'GET takes no body but an empty object.' }],
  ['a long body on a GET', 'GET /v1/spaces', { bytes: `{${' '.repeat(2_000)}}`, headers: json }, 400, { body: 'GET takes no body but an empty object.' }],
  ['an array on a GET', 'GET /v1/spaces', { body: [] }, 400, { body: 'GET takes no body but an empty object.' }],
  ['text on a GET', 'GET /v1/spaces', { bytes: 'a', headers: { 'content-type': 'text/plain' } }, 400, { body: 'GET takes no body but an empty object.' }],
  ['a field on a DELETE', 'DELETE /v1/api-keys/$unknownId', { body: { name: 'K' } }, 400, { body: 'DELETE takes no body but an empty object.' }],
  ['16 kB in another field of initial_data', SOURCES, source({ initial_data: { data: 'a', more: 'a'.repeat(16_384) } }), 400, { initial_data: 'Must have at most 16 kB as JSON without `data`.' }],
  ['a text of members beyond 8,192 characters', SOURCES, members(`$source${' '.repeat(8_192)}`), 400, data('Must have at most 8192 characters.')],
  ['a fileKey of 1,025 characters', SOURCES, file('a'.repeat(1_025)), 400, data('Must be the fileKey of an upload grant.')],
  ['a URL of 5 MB', SOURCES, uri(`https://example.com/${'a'.repeat(5_000_000)}`), 400, data('Must have at most 2,048 characters.')],
  ['a port of mail servers', SOURCES, uri('http://mail.example.com:25/'), 400, data('Must not name a port of mail servers.')],
  ['all invalid fields of a source', SOURCES, { bytes: '{"spaceId":"$space","type":"URI","initial_data":{"data":"ftp://x"},"instructions":{"postback_url":"nope","a":"\\u0000"},"name":"","collectionId":"c","metadata":{"a":[],"b":1e999},"externalId":"","colour":"red"}', headers: json }, 400, { spaceId: unknown, 'instructions.a': nul, 'metadata.b': 'Must be a number that a double can hold.', name: nameLength, collectionId: notAnId, 'metadata.a': 'Must be a string, a number or a boolean.', externalId: 'Must have 1 to 255 characters.', colour: unknown, 'initial_data.data': 'Must be an http or https URL.', 'instructions.postback_url': notUrl }],
  ['all invalid fields of an update', 'PATCH /v1/sources/$source', { body: { name: '', initial_data: { data: '' }, instructions: { postback_url: 'nope' } } }, 400, { name: nameLength, 'initial_data.data': 'Must not be empty.', 'instructions.postback_url': notUrl }],
  ['all invalid fields of a bulk action', 'POST /v1/spaces/$space/sources/actions', { body: { action: 'pin', ids: ['x', '$source', '$source'], collectionId: null, run_context_extraction: 'yes' } }, 400, { 'ids.0': notAnId, run_context_extraction: 'Invalid input: expected boolean, received string', 'ids.2': 'This id is listed twice.', collectionId: 'Only for move.' }],
  ['all invalid fields of a grant', UPLOAD, grant({ filename: '', size: 2 ** 40 }), 400, { filename: 'Must have 1 to 255 characters.', size: 'Must be at most 104857600 bytes.' }],
  ['all invalid fields of a key', KEYS, { body: { name: '', expiresAt: '2001-01-01T00:00:00Z' } }, 400, { name: nameLength, expiresAt: 'Must be in the future.' }],

  // Media types, encodings, sizes
  ['no Content-Type', SPACES, { bytes: '{"name":"S"}' }, 415, wrongMediaType],
  ['text/plain', SPACES, { bytes: '{"name":"S"}', headers: { 'content-type': 'text/plain' } }, 415, wrongMediaType],
  ['a form', SPACES, { bytes: 'name=S', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415, wrongMediaType],
  ['multipart', SPACES, { bytes: '--a--', headers: { 'content-type': 'multipart/form-data; boundary=a' } }, 415, wrongMediaType],
  ['application/merge-patch+json', SPACES, { bytes: '{"name":"S"}', headers: { 'content-type': 'application/merge-patch+json' } }, 415, wrongMediaType],
  ['application/jsonp', SPACES, { bytes: '{"name":"S"}', headers: { 'content-type': 'application/jsonp' } }, 415, wrongMediaType],
  ['a malformed media type', SPACES, { bytes: '{"name":"S"}', headers: { 'content-type': 'json' } }, 415, wrongMediaType],
  ['JSON in Latin-1', SPACES, { bytes: '{"name":"S"}', headers: { 'content-type': 'application/json; charset=iso-8859-1' } }, 415, wrongMediaType],
  ['JSON in an unknown charset', SPACES, { bytes: '{"name":"S"}', headers: { 'content-type': 'application/json; charset="utf-9"' } }, 415, wrongMediaType],
  ['text where the body is optional', REPROCESS, { bytes: 'a', headers: { 'content-type': 'text/plain' } }, 415, wrongMediaType],
  ['a gzipped body', SPACES, { bytes: gzipSync('{"name":"S"}'), headers: { ...json, 'content-encoding': 'gzip' }, responseHeaders: { 'accept-encoding': 'identity' } }, 415, noCoding],
  ['plain JSON with Content-Encoding: GZIP', SPACES, { bytes: '{"name":"S"}', headers: { ...json, 'content-encoding': 'GZIP' } }, 415, noCoding],
  ['a gzipped body through tRPC', 'POST /trpc/spaces.create', { bytes: gzipSync('{"name":"S"}'), headers: { ...json, 'content-encoding': 'gzip' } }, 415, noCoding],
  ['1 MiB and a byte', SPACES, { bytes: `{"name":"${'a'.repeat(1_048_576 - 10)}"}`, headers: json }, 413, tooLarge],
  ['1 MiB and a byte through tRPC', 'POST /trpc/spaces.create', { bytes: `{"name":"${'a'.repeat(1_048_576 - 10)}"}`, headers: json }, 413, tooLarge],
  ['1 MiB and a byte, chunked', SPACES, { bytes: `{"name":"${'a'.repeat(1_048_576)}"}`, headers: { ...json, 'transfer-encoding': 'chunked' } }, 413, tooLarge],
  ['16 MiB and a byte as a source', SOURCES, { bytes: `{"name":"${'a'.repeat(16_777_216)}"}`, headers: json }, 413, tooLarge],
  ['5 MiB and a byte of text', SOURCES, source({ initial_data: { data: 'a'.repeat(5_242_881) } }), 400, data('Must have at most 5 MiB as UTF-8.')],
  ['5 MiB and more of text in three bytes a character', SOURCES, source({ initial_data: { data: '\u20ac'.repeat(1_747_627) } }), 400, data('Must have at most 5 MiB as UTF-8.')],

  // Names and texts
  ['a number as a name', SPACES, { body: { name: 1 } }, 400, { name: notText }],
  ['null as a name', SPACES, { body: { name: null } }, 400, { name: 'Invalid input: expected string, received null' }],
  ['an empty name', SPACES, { body: { name: '' } }, 400, { name: nameLength }],
  ['a name of white space', SPACES, { body: { name: ' \t\n\u00a0\u2003' } }, 400, { name: nameLength }],
  ['a name of 201 characters', SPACES, { body: { name: 'a'.repeat(201) } }, 400, { name: nameLength }],
  ['a name of 201 characters outside the BMP', SPACES, { body: { name: '\u{1F600}'.repeat(201) } }, 400, { name: nameLength }],
  ['a name with U+0000', SPACES, { body: { name: 'a\0b' } }, 400, { name: nul }],
  ['a name with a lone surrogate', SPACES, { bytes: '{"name":"\\ud83d"}', headers: json }, 400, { name: lone }],
  ['a name and a description', SPACES, { body: { name: '', description: 1 } }, 400, { name: nameLength, description: notText }],
  ['a description of 10,001 characters', SPACES, { body: { name: 'S', description: 'a'.repeat(10_001) } }, 400, { description: 'Must have at most 10000 characters.' }],
  ['null as a description', SPACES, { body: { name: 'S', description: null } }, 400, { description: 'Invalid input: expected string, received null' }],

  // Collections
  ['a malformed parent id', COLLECTIONS, { body: { name: 'C', parentId: 'x' } }, 400, { parentId: notAnId }],
  ['an empty parent', COLLECTIONS, { body: { name: 'C', parentId: '' } }, 400, { parentId: notAnId }],
  ['a number as a parent', COLLECTIONS, { body: { name: 'C', parentId: 1 } }, 400, { parentId: notAnId }],
  ['an unknown parent', COLLECTIONS, { body: { name: 'C', parentId: '$unknownId' } }, 400, { parentId: 'There is no such collection in this space.' }],
  ['a parent in another space', COLLECTIONS, { body: { name: 'C', parentId: '$collectionInSpaceTwo' } }, 400, { parentId: 'There is no such collection in this space.' }],
  ['the 33rd level', COLLECTIONS, { body: { name: 'C', parentId: '$deepCollection' } }, 400, { parentId: 'Collections nest at most 32 levels deep.' }],

  // Sources
  ['a source without fields', SOURCES, { body: {} }, 400, { type: required, initial_data: required, instructions: required }],
  ['an unknown type', SOURCES, source({ type: 'TEXT' }), 400, { type: 'Invalid option: expected one of "URI"|"FILE"|"CONTENT"|"COMPOSITION"' }],
  ['text as initial_data', SOURCES, source({ initial_data: 'a' }), 400, { initial_data: notObject('string') }],
  ['an array as initial_data', SOURCES, source({ initial_data: [] }), 400, { initial_data: notObject('array') }],
  ['null as instructions', SOURCES, source({ instructions: null }), 400, { instructions: notObject('null') }],
  ['instructions of more than 16 kB', SOURCES, source({ instructions: { a: 'a'.repeat(16_384) } }), 400, { instructions: 'Must have at most 16 kB as JSON.' }],
  ['an unknown on_member_failure', SOURCES, source({ instructions: { on_member_failure: 'ignore' } }), 400, { 'instructions.on_member_failure': 'Invalid option: expected one of "fail"|"skip"' }],
  ['U+0000 in instructions', SOURCES, source({ instructions: { a: [{ b: '\0' }] } }), 400, { 'instructions.a.0.b': nul }],
  ['a number beyond a double', SOURCES, { bytes: '{"type":"CONTENT","initial_data":{"data":"a"},"instructions":{"a":1e999}}', headers: json }, 400, { 'instructions.a': 'Must be a number that a double can hold.' }],
  ['no data', SOURCES, source({ initial_data: {} }), 400, data(required)],
  ['a number as text', SOURCES, source({ initial_data: { data: 1 } }), 400, data('Must be the text, as a string.')],
  ['an empty text', SOURCES, source({ initial_data: { data: '' } }), 400, data('Must not be empty.')],
  ['U+0000 in the text', SOURCES, source({ initial_data: { data: 'a\0' } }), 400, data(nul)],
  ['a lone surrogate in the text', SOURCES, source({ initial_data: { data: '\udc00' } }), 400, data(lone)],
  ['an empty name of a source', SOURCES, source({ name: ' ' }), 400, { name: nameLength }],
  ['a malformed collection id', SOURCES, source({ collectionId: 'x' }), 400, { collectionId: notAnId }],
  ['an unknown collection', SOURCES, source({ collectionId: '$unknownId' }), 400, { collectionId: 'There is no such collection in this space.' }],
  ['a collection in another space', SOURCES, source({ collectionId: '$collectionInSpaceTwo' }), 400, { collectionId: 'There is no such collection in this space.' }],
  ['nested metadata', SOURCES, source({ metadata: { a: { b: 1 } } }), 400, { 'metadata.a': 'Must be a string, a number or a boolean.' }],
  ['null in metadata', SOURCES, source({ metadata: { a: null } }), 400, { 'metadata.a': 'Must be a string, a number or a boolean.' }],
  ['a list as metadata', SOURCES, source({ metadata: [] }), 400, { metadata: 'Invalid input: expected record, received array' }],
  ['metadata of more than 4 kB', SOURCES, source({ metadata: { a: 'a'.repeat(4_089) } }), 400, { metadata: 'Must have at most 4 kB as JSON.' }],
  ['an empty externalId', SOURCES, source({ externalId: '' }), 400, { externalId: 'Must have 1 to 255 characters.' }],
  ['an externalId of 256 characters', SOURCES, source({ externalId: 'a'.repeat(256) }), 400, { externalId: 'Must have 1 to 255 characters.' }],
  ['an externalId that is taken', SOURCES, { ...source({ externalId: 'taken' }), responseHeaders: { location: '/v1/sources/$source' } }, 409, { externalId: 'Another source of this space has this externalId.' }],
  ['two invalid fields of a source', SOURCES, { body: { type: 'URI', initial_data: { data: 'x' }, instructions: { postback_url: 'y' } } }, 400, { 'initial_data.data': notUrl, 'instructions.postback_url': notUrl }],

  // URLs
  ['a number as a URL', SOURCES, uri(1), 400, data('Must be a URL, as a string.')],
  ['an empty URL', SOURCES, uri(''), 400, data(notUrl)],
  ['a URL without a scheme', SOURCES, uri('example.com/a'), 400, data(notUrl)],
  ['ftp', SOURCES, uri('ftp://example.com/'), 400, data('Must be an http or https URL.')],
  ['file', SOURCES, uri('file:///etc/passwd'), 400, data('Must be an http or https URL.')],
  ['javascript', SOURCES, uri('javascript:alert(1)'), 400, data('Must be an http or https URL.')],
  ['credentials in a URL', SOURCES, uri('https://u:p@example.com/'), 400, data('Must not contain a user name or password.')],
  ['a URL of 2,049 characters', SOURCES, uri(`https://example.com/${'a'.repeat(2_029)}`), 400, data('Must have at most 2,048 characters.')],
  ...['http://127.0.0.1/', 'http://127.1/', 'http://2130706433/', 'http://0x7f000001/', 'http://0177.0.0.1/', 'http://0/', 'http://10.0.0.1/', 'http://172.16.0.1/', 'http://192.168.0.1/', 'http://169.254.169.254/latest/meta-data/', 'http://100.64.0.1/', 'http://224.0.0.1/', 'http://[::1]/', 'http://[::]/', 'http://[fe80::1]/', 'http://[fc00::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[64:ff9b::7f00:1]/', 'http://[2002:7f00:1::]/', 'http://①②⑦.⓪.⓪.①/'].map((url): Row => [`the address ${url}`, SOURCES, uri(url), 400, data(privateAddress)]),
  ['a postback to a private address', SOURCES, postback('http://127.0.0.1:1/'), 400, { 'instructions.postback_url': privateAddress }],
  ['a number as a postback URL', SOURCES, postback(1), 400, { 'instructions.postback_url': notText }],
  ['an empty postback URL', SOURCES, postback(''), 400, { 'instructions.postback_url': notUrl }],
  ['null as a postback URL', SOURCES, postback(null), 400, { 'instructions.postback_url': 'Invalid input: expected string, received null' }],

  // Files
  ['an empty fileKey', SOURCES, file(''), 400, data('Must be the fileKey of an upload grant.')],
  ['an unknown fileKey', SOURCES, file('uploads/0/a.txt'), 400, data(notUpload)],
  ["the fileKey of another owner's upload", SOURCES, file('$othersFile'), 400, data(notUpload)],
  ['the fileKey of an unfinished upload', SOURCES, file('$unfinishedFile'), 400, data(notUpload)],

  // Compositions
  ['an object as members', SOURCES, members({}), 400, data('Must be a list of source ids.')],
  ['an empty list', SOURCES, members([]), 400, data('Must list 1 to 100 sources.')],
  ['a text without ids', SOURCES, members(' , '), 400, data('Must list 1 to 100 sources.')],
  ['101 members', SOURCES, members(Array.from({ length: 101 }, () => '$source')), 400, data('Must list 1 to 100 sources.')],
  ['a malformed member id', SOURCES, members(['$source', 'x']), 400, data('"x" is not an id.')],
  ['a number as a member', SOURCES, members([1]), 400, data('"1" is not an id.')],
  ['a member twice', SOURCES, members(['$source', '$source']), 400, data('The source $source is listed twice.')],
  ['a member twice in a text', SOURCES, members('$source,\n$source'), 400, data('The source $source is listed twice.')],
  ['an unknown member', SOURCES, members(['$unknownId']), 400, data('There is no source $unknownId in this space.')],
  ['a member in another space', SOURCES, members(['$sourceInSpaceTwo']), 400, data('There is no source $sourceInSpaceTwo in this space.')],
  ["another owner's source as a member", SOURCES, members(['$othersSource']), 400, data('There is no source $othersSource in this space.')],

  // Actions
  ['a refresh of a text', REFRESH, {}, 400, { type: 'Only URI and FILE sources can be refreshed; this one is CONTENT. Use reprocess.' }],
  ['a text as an option', REPROCESS, { body: { run_context_extraction: 'yes' } }, 400, { run_context_extraction: 'Invalid input: expected boolean, received string' }],
  ['an unknown option', REPROCESS, { body: { run_all: true } }, 400, { run_all: unknown }],
  ['a cancel with a field', 'POST /v1/sources/$source/cancel', { body: { force: true } }, 400, { force: unknown }],
  ['a cancel of a completed source', 'POST /v1/sources/$source/cancel', {}, 409, { status: 'The source is COMPLETED already: there is nothing to cancel.' }],

  // Keys
  ['a key without a name', KEYS, { body: {} }, 400, { name: required }],
  ['an unknown scope', KEYS, { body: { name: 'K', scopes: ['admin'] } }, 400, { 'scopes.0': 'Invalid option: expected one of "read"|"write"' }],
  ['no scopes', KEYS, { body: { name: 'K', scopes: [] } }, 400, { scopes: 'Too small: expected array to have >=1 items' }],
  ['an expiry in the past', KEYS, { body: { name: 'K', expiresAt: '2020-01-01T00:00:00Z' } }, 400, { expiresAt: 'Must be in the future.' }],
  ['an expiry without an offset', KEYS, { body: { name: 'K', expiresAt: '2099-01-01T00:00:00' } }, 400, { expiresAt: 'Must be an ISO 8601 time with its offset.' }],
  ['an expiry on 30 February', KEYS, { body: { name: 'K', expiresAt: '2099-02-30T00:00:00Z' } }, 400, { expiresAt: 'Must be an ISO 8601 time with its offset.' }],
  ['an expiry in the year 10000 in UTC', KEYS, { body: { name: 'K', expiresAt: '9999-12-31T23:59:59-23:00' } }, 400, { expiresAt: 'Must be before the year 10000.' }],
  ["an expiry beyond the key's own", KEYS, { authorization: 'Bearer $limitedKey', body: { name: 'K', expiresAt: '2099-01-01T00:00:00Z' } }, 400, { expiresAt: 'Must not be later than the expiry of the calling key.' }],
  ['no expiry, from a key that has one', KEYS, { authorization: 'Bearer $limitedKey', body: { name: 'K', expiresAt: null } }, 400, { expiresAt: 'Must not be later than the expiry of the calling key.' }],

  // Uploads
  ['an upload without fields', UPLOAD, { body: {} }, 400, { filename: required, contentType: required, size: required }],
  ...['', '.', '..', 'a/b', 'a\\b', '/etc/passwd', 'a\nb', 'a\u007f', 'a\u0085b', 'a'.repeat(256)].map((filename): Row => [`the file name ${JSON.stringify(filename.slice(0, 20))}`, UPLOAD, grant({ filename }), 400, { filename: filename === '' || filename.length > 255 ? 'Must have 1 to 255 characters.' : 'Must be a file name without a path and without control characters.' }]),
  ...['', 'pdf', 'a/b/c', 'text/plain;', 'text/plain; a', 'text/plain\r\nx: y', 'text /plain', 't\u00e4xt/plain', `a/${'b'.repeat(254)}`].map((contentType): Row => [`the media type ${JSON.stringify(contentType.slice(0, 20))}`, UPLOAD, grant({ contentType }), 400, { contentType: contentType.length > 255 ? 'Must have at most 255 characters.' : 'Must be a media type, like application/pdf.' }]),
  ['a size of 0', UPLOAD, grant({ size: 0 }), 400, { size: 'Must be at least 1 byte.' }],
  ['half a byte', UPLOAD, grant({ size: 0.5 }), 400, { size: 'Invalid input: expected int, received number' }],
  ['a string as a size', UPLOAD, grant({ size: '1' }), 400, { size: 'Invalid input: expected number, received string' }],
  ['more than 100 MiB', UPLOAD, grant({ size: 104_857_601 }), 400, { size: 'Must be at most 104857600 bytes.' }],

  // tRPC
  ['tRPC without a key', 'GET /trpc/spaces.list', { authorization: null, responseHeaders: bearer }, 401, noKey],
  ['tRPC without a key, and a body', 'POST /trpc/spaces.create', { authorization: null, bytes: '{', headers: json }, 401, noKey],
  ['a tRPC mutation with a read key', 'POST /trpc/spaces.create', as('Bearer $readKey'), 403, noWrite],
  ['no procedure', 'GET /trpc/', {}, 404, noProcedure],
  ['an unknown procedure', 'GET /trpc/spaces.destroy', {}, 404, noProcedure],
  ['an unknown procedure without a key', 'GET /trpc/spaces.destroy', { authorization: null }, 401, noKey],
  ['a property of Object.prototype as a procedure', 'GET /trpc/spaces.constructor', {}, 404, noProcedure],
  ['a path below a procedure', 'GET /trpc/spaces/list', {}, 404, noPath],
  ['a query by POST', 'POST /trpc/spaces.list', { body: {}, responseHeaders: { allow: 'GET' } }, 405, 'Queries are called with GET, mutations with POST.'],
  ['a mutation by GET', 'GET /trpc/spaces.create', { responseHeaders: { allow: 'POST' } }, 405, 'Queries are called with GET, mutations with POST.'],
  ['PUT through tRPC', 'PUT /trpc/spaces.create', { body: {}, responseHeaders: { allow: 'GET, POST' } }, 405, 'PUT is not allowed here; use GET, POST.'],
  ['an input that is not JSON', 'GET /trpc/spaces.list?input=abc', {}, 400, { input: 'Not valid JSON.' }],
  ['a body that is not JSON through tRPC', 'POST /trpc/spaces.create', { bytes: '{', headers: json }, 400, { input: 'Not valid JSON.' }],
  ['a body that is not UTF-8 through tRPC', 'POST /trpc/spaces.create', { bytes: Buffer.from([0x22, 0xff, 0x22]), headers: json }, 400, { body: 'Must be UTF-8.' }],
  ['a form through tRPC', 'POST /trpc/spaces.create', { bytes: 'a', headers: { 'content-type': 'multipart/form-data; boundary=a' } }, 415, wrongMediaType],
  ['bytes through tRPC', 'POST /trpc/spaces.create', { bytes: 'a', headers: { 'content-type': 'application/octet-stream' } }, 415, wrongMediaType],
  ['no input through tRPC', 'POST /trpc/spaces.create', { bytes: '', headers: json }, 400, { name: required }],
  ['null through tRPC', 'POST /trpc/spaces.create', { body: null }, 400, { name: required }],
  ['a list through tRPC', 'POST /trpc/spaces.create', { body: [] }, 400, { body: notObject('array') }],
  ['an unknown field through tRPC', 'POST /trpc/spaces.create', { body: { name: 'S', a: 1 } }, 400, { a: unknown }],
  ['__proto__ through tRPC', 'POST /trpc/spaces.create', { bytes: '{"name":"S","__proto__":{}}', headers: json }, 400, { __proto__x: '' }],
  ['U+0000 through tRPC', 'POST /trpc/spaces.create', { body: { name: '\0' } }, 400, { name: nul }],
  ["another owner's space through tRPC", 'GET /trpc/spaces.get?input={"spaceId":"$othersSpace"}', {}, 404, 'There is no such space.'],
  ['a limit through tRPC', 'GET /trpc/spaces.list?input={"limit":0}', {}, 400, { limit: limits }],
  ['a batch that is not an object', 'POST /trpc/spaces.create?batch=1', { body: 1 }, 400, '"input" needs to be an object when doing a batch call'],
  ['a batch of queries and mutations', 'POST /trpc/spaces.create,spaces.list?batch=1', { body: {} }, 400, 'Cannot mix procedure types in call: mutation, query'],
  ['a batch with an invalid call', 'POST /trpc/spaces.create?batch=1', { body: { 0: { name: '' } } }, 400, { name: nameLength }],
];

/** `__proto__x` stands for `__proto__`, which an object literal does not take as a key. */
const detailsOf = (expected: Record<string, string>) =>
  Object.entries(expected).map(([field, message]) =>
    field === '__proto__x' ? { field: '__proto__', message: 'This name is not allowed.' } : { field, message },
  );

test.each(rows)('%s (%s) is rejected', async (_, target, sent, status, expected) => {
  const [method = '', path = ''] = fill(target, placeholders).split(' ');
  const authorization = sent.authorization === undefined ? 'Bearer $key' : sent.authorization;
  const body = 'body' in sent ? fill(JSON.stringify(sent.body), placeholders) : sent.bytes;
  const headers = {
    ...(authorization === null ? {} : { authorization: fill(authorization, placeholders) }),
    ...('body' in sent ? json : {}),
    ...(body === undefined || sent.headers?.['transfer-encoding']
      ? {}
      : { 'content-length': String(Buffer.byteLength(body)) }),
    ...sent.headers,
  };
  const response = await wire(
    placeholders.apiUrl,
    method,
    path.replaceAll('"', '%22').replaceAll("'", '%27'),
    headers,
    body,
  );
  expect({ status: response.status, text: response.text }).toEqual({ status, text: response.text });
  const error = errorOf(response, path.startsWith('/trpc/') && expected !== noPath ? 'trpc' : 'rest');
  const details =
    typeof expected === 'string'
      ? undefined
      : detailsOf(expected).map(({ field, message }) => ({ field, message: fill(message, placeholders) }));
  expect(error.details).toEqual(details);
  if (typeof expected === 'string') expect(error.message).toBe(expected);
  else if (status === 400 && !target.includes('refresh')) expect(error.message).toBe('The request is not valid.');
  expect(error).toMatchObject({ code: status, error: STATUS_CODES[status] });
  expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(response.headers['content-type']).toMatch(/^application\/json/);
  for (const [name, value] of Object.entries(sent.responseHeaders ?? {})) {
    expect({ [name]: response.headers[name] }).toEqual({ [name]: fill(value, placeholders) });
  }
});
