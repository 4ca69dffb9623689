/**
 * Objects in one S3 bucket. Keys are given as they are; encoding them for URLs is done here. Presigned URLs are made for
 * the address at which clients see the storage, everything else goes to the inner one.
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
import type { Config } from './config.ts';
import { attachmentDisposition } from './content-disposition.ts';
import { ObjectMissingError, ObjectTooLargeError, StorageUnavailableError, storageError } from './storage-errors.ts';

const CONNECT_TIMEOUT_MS = 2000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUT_MS = 2000;
/** The first try and one more. */
const MAX_ATTEMPTS = 2;
/** S3 deletes at most so many objects in one request. */
const DELETE_BATCH = 1000;

export type StorageOptions = {
  endpoint: string;
  /** The address that presigned URLs carry. */
  publicEndpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
};

export type ObjectHead = {
  sizeBytes: number;
  /** As S3 gives it, with its quotation marks. */
  etag: string;
  contentType: string;
};

export type ListedObject = { key: string; sizeBytes: number; modifiedAt: Date };

type Cancelable = { signal?: AbortSignal | undefined };

/**
 * Every call that reaches the storage ends within 30 s (2 s for the connection) or what it was created with, and rejects with StorageUnavailableError
 * when the storage did not answer or answered 5xx, and with the reason of `signal` once that is aborted.
 */
export type OpenObject = { body: Readable; sizeBytes: number };

export type Storage = {
  /** Creates the bucket where it is missing, and lets browsers of any origin use presigned URLs (CORS). */
  ensureBucket(): Promise<void>;
  /** Resolves when the bucket answers within 2 s. */
  check(): Promise<void>;
  put(key: string, body: Uint8Array | string, contentType: string, options?: Cancelable): Promise<void>;
  /** @throws ObjectMissingError, ObjectTooLargeError (before anything of it is read) */
  get(
    key: string,
    options?: Cancelable & { maxBytes?: number },
  ): Promise<{ body: Uint8Array; contentType: string; etag: string }>;
  /**
   * The object as a stream, or its bytes from `range.from` up to `range.to`. A stream that brings nothing for as long as a
   * call may take is destroyed with an error. @throws ObjectMissingError
   */
  open(key: string, options?: Cancelable & { range?: { from: number; to: number } }): Promise<OpenObject>;
  head(key: string, options?: Cancelable): Promise<ObjectHead | null>;
  /** Copies within the storage if the object still has this ETag. */
  copyIfMatch(
    fromKey: string,
    toKey: string,
    etag: string,
    options?: Cancelable,
  ): Promise<'copied' | 'changed' | 'missing'>;
  /** All objects whose key begins with `prefix`, in the order of their keys. */
  list(prefix: string, options?: Cancelable): AsyncGenerator<ListedObject, void, undefined>;
  /** Deletes the objects; those that are not there are passed over. */
  deleteKeys(keys: readonly string[], options?: Cancelable): Promise<void>;
  /**
   * Deletes all objects below `prefix` and returns how many there were.
   * @throws TypeError unless the prefix ends with a slash, so that `a/1` never takes `a/10` along.
   */
  deletePrefix(prefix: string, options?: Cancelable): Promise<number>;
  /** A URL for one PUT of exactly this length and type; anything else is answered 403. */
  presignUpload(upload: {
    key: string;
    contentType: string;
    sizeBytes: number;
    expiresSeconds: number;
  }): Promise<string>;
  /** A URL for GET; the answer is an attachment with this file name. */
  presignDownload(download: { key: string; filename: string; expiresSeconds: number }): Promise<string>;
  close(): void;
};

/** @param timeoutMs How long a call may take, 30 s where nothing is given. */
export function createStorage(
  options: StorageOptions,
  { timeoutMs: callTimeoutMs = REQUEST_TIMEOUT_MS }: { timeoutMs?: number } = {},
): Storage {
  const Bucket = options.bucket;
  const client = createClient(options, options.endpoint);
  const signer = createClient(options, options.publicEndpoint);

  /** Runs one call with its time limit and tells its errors in our terms. */
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

  /** Null instead of ObjectMissingError. */
  async function unlessMissing<T>(found: Promise<T>): Promise<T | null> {
    return found.catch((error: unknown) => {
      if (error instanceof ObjectMissingError) return null;
      throw error;
    });
  }

  /** @throws StorageUnavailableError where the bucket is missing, or refused. */
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
      const answer = await call((limit) => client.send(command, limit), limits);
      const [failed] = (answer.Errors ?? []).filter(({ Code }) => Code !== 'NoSuchKey');
      if (failed !== undefined) throw new Error(`object ${failed.Key} was not deleted: ${failed.Code}`);
    }
  }

  return {
    list,
    deleteKeys,

    async ensureBucket() {
      const missing = await unlessMissing(call((limit) => client.send(new HeadBucketCommand({ Bucket }), limit)));
      if (missing === null) {
        await call((limit) => client.send(new CreateBucketCommand({ Bucket }), limit)).catch((error: unknown) => {
          // Another process was faster.
          if (!hasName(error, 'BucketAlreadyOwnedByYou') && !hasName(error, 'BucketAlreadyExists')) throw error;
        });
      }
      const rule = { AllowedOrigins: ['*'], AllowedMethods: ['PUT', 'GET', 'HEAD'], AllowedHeaders: ['*'] };
      const cors = new PutBucketCorsCommand({
        Bucket,
        CORSConfiguration: { CORSRules: [{ ...rule, ExposeHeaders: ['ETag'] }] },
      });
      await call((limit) => client.send(cors, limit)).catch((error: unknown) => {
        // Some servers have no CORS by bucket and are open to every origin.
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
          throw new Error(`object ${key} came without body or ETag`);
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
        if (!(Body instanceof Readable)) throw new Error(`object ${key} came without body`);
        return { body: watched(Body, callTimeoutMs), sizeBytes: ContentLength ?? 0 };
      }, limits);
    },

    async head(key, limits) {
      const command = new HeadObjectCommand({ Bucket, Key: key });
      const answer = await unlessMissing(call((limit) => client.send(command, limit), limits));
      if (answer === null) {
        // The answer to HEAD does not say whether the object is missing or the bucket.
        await assertBucket(limits);
        return null;
      }
      const { ContentLength, ContentType, ETag } = answer;
      if (ETag === undefined) throw new Error(`object ${key} came without ETag`);
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
      // Without this only the host is signed, and any length and type would do.
      const signableHeaders = new Set(['content-length', 'content-type']);
      return getSignedUrl(signer, command, { expiresIn: expiresSeconds, signableHeaders });
    },

    async presignDownload({ key, filename, expiresSeconds }) {
      const ResponseContentDisposition = attachmentDisposition(filename);
      const command = new GetObjectCommand({ Bucket, Key: key, ResponseContentDisposition });
      return getSignedUrl(signer, command, { expiresIn: expiresSeconds });
    },

    close() {
      client.destroy();
      signer.destroy();
    },
  };
}

/** The same bytes; an error once `timeoutMs` pass without any while they are asked for. */
function watched(body: Readable, timeoutMs: number): Readable {
  async function* bytes() {
    const iterator = body[Symbol.asyncIterator]();
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new StorageUnavailableError('timeout', 'an object stopped coming', {})),
          timeoutMs,
        );
      });
      const next = await Promise.race([iterator.next(), silence]).finally(() => clearTimeout(timer));
      if (next.done) return;
      yield next.value;
    }
  }
  const readable = Readable.from(bytes(), { objectMode: false });
  // Also where nothing was ever read of it.
  return readable.once('close', () => body.destroy());
}

function createClient(options: StorageOptions, endpoint: string): S3Client {
  return new S3Client({
    endpoint,
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    forcePathStyle: true,
    maxAttempts: MAX_ATTEMPTS,
    // Otherwise the checksum of an empty body is signed into upload URLs.
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

/** The storage that the settings name. */
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
