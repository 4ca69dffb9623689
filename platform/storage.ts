/**
 * Objects in one S3 bucket. Keys are given unencoded. Presigned URLs use the endpoint that clients reach, other calls
 * the internal one.
 */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { create as attachmentDisposition } from 'content-disposition';
import type { Config } from './config.ts';
import { ObjectMissingError, ObjectTooLargeError, StorageUnavailableError, storageError } from './storage-errors.ts';

const CONNECT_TIMEOUT_MS = 2000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUT_MS = 2000;
/** The first attempt and one retry. */
const MAX_ATTEMPTS = 2;
/** S3's limit of objects in one delete request. */
const DELETE_BATCH = 1000;

export type StorageOptions = {
  endpoint: string;
  /** Endpoint of presigned URLs. */
  publicEndpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
};

export type ObjectHead = {
  sizeBytes: number;
  /** With the quotation marks of S3. */
  etag: string;
  contentType: string;
};

export type ListedObject = { key: string; sizeBytes: number; modifiedAt: Date };

type Cancelable = { signal?: AbortSignal | undefined };

export type OpenObject = { body: Readable; sizeBytes: number };

/**
 * Every call to the storage ends within `timeoutMs` of createStorage (default 30 s; 2 s for the connection). It rejects
 * with StorageUnavailableError if the storage does not respond or returns 5xx, or with the reason of `signal`.
 */
export type Storage = {
  /** Creates the bucket if it is missing, and allows all origins to use presigned URLs (CORS). */
  ensureBucket(): Promise<void>;
  /** Resolves if the bucket responds within 2 s. */
  check(): Promise<void>;
  put(key: string, body: Uint8Array | string, contentType: string, options?: Cancelable): Promise<void>;
  /** @throws ObjectMissingError, ObjectTooLargeError (before the body is read) */
  get(
    key: string,
    options?: Cancelable & { maxBytes?: number },
  ): Promise<{ body: Uint8Array; contentType: string; etag: string }>;
  /**
   * Returns the object as a stream, or its bytes from `range.from` to before `range.to`. A stream without data for
   * `timeoutMs` is destroyed with an error. @throws ObjectMissingError
   */
  open(key: string, options?: Cancelable & { range?: { from: number; to: number } }): Promise<OpenObject>;
  head(key: string, options?: Cancelable): Promise<ObjectHead | null>;
  /** Copies within the bucket if the object still has this ETag. */
  copyIfMatch(
    fromKey: string,
    toKey: string,
    etag: string,
    options?: Cancelable,
  ): Promise<'copied' | 'changed' | 'missing'>;
  /** Yields all objects whose key begins with `prefix`, in the order of their keys. */
  list(prefix: string, options?: Cancelable): AsyncGenerator<ListedObject, void, undefined>;
  /** Deletes the objects; missing ones are ignored. */
  deleteKeys(keys: readonly string[], options?: Cancelable): Promise<void>;
  /**
   * Deletes all objects below `prefix`; returns how many.
   * @throws TypeError unless the prefix ends with a slash: `a/1` would match `a/10`.
   */
  deletePrefix(prefix: string, options?: Cancelable): Promise<number>;
  /** Returns a URL for a PUT of exactly this length and type; any other is rejected with 403. */
  presignUpload(upload: {
    key: string;
    contentType: string;
    sizeBytes: number;
    expiresSeconds: number;
  }): Promise<string>;
  /** Returns a URL for GET; the response is an attachment with this file name. */
  presignDownload(download: { key: string; filename: string; expiresSeconds: number }): Promise<string>;
  close(): void;
};

/** @param timeoutMs timeout of each call; default 30 s */
export function createStorage(
  options: StorageOptions,
  { timeoutMs: callTimeoutMs = REQUEST_TIMEOUT_MS }: { timeoutMs?: number } = {},
): Storage {
  const Bucket = options.bucket;
  const client = createClient(options, options.endpoint);
  const signer = createClient(options, options.publicEndpoint);

  /** Runs one call with its timeout and converts its errors (storageError). */
  async function call<T>(
    send: (limits: { abortSignal: AbortSignal }) => Promise<T>,
    { signal, timeoutMs = callTimeoutMs }: Cancelable & { timeoutMs?: number } = {},
  ): Promise<T> {
    signal?.throwIfAborted();
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const abortSignal = AbortSignal.any([timeout.signal, ...(signal === undefined ? [] : [signal])]);
    try {
      return await send({ abortSignal });
    } catch (error) {
      signal?.throwIfAborted();
      throw storageError(error, timeout.signal.aborted);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns null instead of ObjectMissingError. */
  async function unlessMissing<T>(result: Promise<T>): Promise<T | null> {
    return result.catch((error: unknown) => {
      if (error instanceof ObjectMissingError) return null;
      throw error;
    });
  }

  /** @throws StorageUnavailableError if the bucket is missing or access is denied. */
  async function assertBucket(limits?: Cancelable): Promise<void> {
    const found = await unlessMissing(call((limit) => client.send(new HeadBucketCommand({ Bucket }), limit), limits));
    if (found === null) throw new StorageUnavailableError('refused', 'the bucket is missing', {});
  }

  async function* list(prefix: string, limits: Cancelable = {}): AsyncGenerator<ListedObject, void, undefined> {
    let ContinuationToken: string | undefined;
    do {
      const command = new ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken });
      const page = await call((limit) => client.send(command, limit), limits);
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        if (Key === undefined || LastModified === undefined) continue;
        yield { key: Key, sizeBytes: Size ?? 0, modifiedAt: LastModified };
      }
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }

  async function deleteKeys(keys: readonly string[], limits: Cancelable = {}): Promise<void> {
    for (let start = 0; start < keys.length; start += DELETE_BATCH) {
      const Objects = keys.slice(start, start + DELETE_BATCH).map((Key) => ({ Key }));
      const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } });
      const response = await call((limit) => client.send(command, limit), limits);
      const [failed] = (response.Errors ?? []).filter(({ Code }) => Code !== 'NoSuchKey');
      if (failed !== undefined) throw new Error(`object ${failed.Key} was not deleted: ${failed.Code}`);
    }
  }

  return {
    list,
    deleteKeys,

    async ensureBucket() {
      const bucket = await unlessMissing(call((limit) => client.send(new HeadBucketCommand({ Bucket }), limit)));
      if (bucket === null) {
        await call((limit) => client.send(new CreateBucketCommand({ Bucket }), limit)).catch((error: unknown) => {
          // Another process has created it concurrently.
          if (!hasName(error, 'BucketAlreadyOwnedByYou') && !hasName(error, 'BucketAlreadyExists')) throw error;
        });
      }
      const rule = { AllowedOrigins: ['*'], AllowedMethods: ['PUT', 'GET', 'HEAD'], AllowedHeaders: ['*'] };
      const cors = new PutBucketCorsCommand({
        Bucket,
        CORSConfiguration: { CORSRules: [{ ...rule, ExposeHeaders: ['ETag'] }] },
      });
      await call((limit) => client.send(cors, limit)).catch((error: unknown) => {
        // Some servers have no CORS per bucket and allow every origin.
        if (!hasName(error, 'NotImplemented')) throw error;
      });
    },

    async check() {
      await call((limit) => client.send(new HeadBucketCommand({ Bucket }), limit), { timeoutMs: CHECK_TIMEOUT_MS });
    },

    async put(key, body, contentType, limits) {
      const Body = typeof body === 'string' ? Buffer.from(body) : body;
      const command = new PutObjectCommand({
        Bucket,
        Key: key,
        Body,
        ContentLength: Body.byteLength,
        ContentType: contentType,
      });
      await call((limit) => client.send(command, limit), limits);
    },

    async get(key, limits) {
      return call(async ({ abortSignal }) => {
        const command = new GetObjectCommand({ Bucket, Key: key });
        const { Body, ContentLength, ContentType, ETag } = await client.send(command, { abortSignal });
        if (!(Body instanceof Readable) || ETag === undefined)
          throw new Error(`the response for object ${key} has no body or ETag`);
        const maxBytes = limits?.maxBytes ?? Number.POSITIVE_INFINITY;
        if (ContentLength === undefined || ContentLength > maxBytes) {
          Body.destroy();
          throw new ObjectTooLargeError(key, maxBytes);
        }
        const body = await buffer(Body);
        return { body, contentType: ContentType ?? 'application/octet-stream', etag: ETag };
      }, limits);
    },

    async open(key, limits) {
      const { from, to } = limits?.range ?? {};
      const Range = from === undefined || to === undefined ? undefined : `bytes=${from}-${to - 1}`;
      return call(async ({ abortSignal }) => {
        const command = new GetObjectCommand({ Bucket, Key: key, Range });
        const { Body, ContentLength } = await client.send(command, { abortSignal });
        if (!(Body instanceof Readable)) throw new Error(`the response for object ${key} has no body`);
        return { body: withIdleTimeout(Body, callTimeoutMs), sizeBytes: ContentLength ?? 0 };
      }, limits);
    },

    async head(key, limits) {
      const command = new HeadObjectCommand({ Bucket, Key: key });
      const response = await unlessMissing(call((limit) => client.send(command, limit), limits));
      if (response === null) {
        // The response to HEAD does not say whether the object or the bucket is missing.
        await assertBucket(limits);
        return null;
      }
      const { ContentLength, ContentType, ETag } = response;
      if (ETag === undefined) throw new Error(`the response for object ${key} has no ETag`);
      return { sizeBytes: ContentLength ?? 0, etag: ETag, contentType: ContentType ?? 'application/octet-stream' };
    },

    async copyIfMatch(fromKey, toKey, etag, limits) {
      const CopySource = `${Bucket}/${fromKey.split('/').map(encodeURIComponent).join('/')}`;
      const command = new CopyObjectCommand({ Bucket, Key: toKey, CopySource, CopySourceIfMatch: etag });
      try {
        await call((limit) => client.send(command, limit), limits);
        return 'copied';
      } catch (error) {
        if (error instanceof ObjectMissingError) return 'missing';
        if (hasName(error, 'PreconditionFailed')) return 'changed';
        throw error;
      }
    },

    async deletePrefix(prefix, limits) {
      if (!/[^/]\/$/.test(prefix)) throw new TypeError('a prefix to delete must end with a slash');
      const keys: string[] = [];
      for await (const { key } of list(prefix, limits)) keys.push(key);
      await deleteKeys(keys, limits);
      return keys.length;
    },

    async presignUpload({ key, contentType, sizeBytes, expiresSeconds }) {
      const command = new PutObjectCommand({ Bucket, Key: key, ContentType: contentType, ContentLength: sizeBytes });
      // Without this only the host is signed, and any length and type would be accepted.
      const signableHeaders = new Set(['content-length', 'content-type']);
      return getSignedUrl(signer, command, { expiresIn: expiresSeconds, signableHeaders });
    },

    async presignDownload({ key, filename, expiresSeconds }) {
      // Unpaired surrogates cannot be encoded.
      const ResponseContentDisposition = attachmentDisposition(filename.toWellFormed());
      const command = new GetObjectCommand({ Bucket, Key: key, ResponseContentDisposition });
      return getSignedUrl(signer, command, { expiresIn: expiresSeconds });
    },

    close() {
      client.destroy();
      signer.destroy();
    },
  };
}

/** Returns a stream of the same bytes, which fails if a read takes longer than `timeoutMs`. */
function withIdleTimeout(body: Readable, timeoutMs: number): Readable {
  async function* bytes() {
    const iterator = body[Symbol.asyncIterator]();
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new StorageUnavailableError('timeout', 'no data of an object in time', {})),
          timeoutMs,
        );
      });
      const next = await Promise.race([iterator.next(), timeout]).finally(() => clearTimeout(timer));
      if (next.done) return;
      yield next.value;
    }
  }
  const readable = Readable.from(bytes(), { objectMode: false });
  // Also if the stream was never read.
  return readable.once('close', () => body.destroy());
}

function createClient(options: StorageOptions, endpoint: string): S3Client {
  return new S3Client({
    endpoint,
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    forcePathStyle: true,
    maxAttempts: MAX_ATTEMPTS,
    // Otherwise upload URLs contain a signed checksum of an empty body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
}

function hasName(error: unknown, name: string): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === name;
}

/** Returns the options of the storage in the settings. */
export function storageOptions(config: Config): StorageOptions {
  return {
    endpoint: config.S3_ENDPOINT,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT ?? config.S3_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
  };
}
