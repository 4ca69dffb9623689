/** S3 on this machine: versitygw over a folder. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { newSecret, readSecret, writeSecret } from './kept-secret.ts';
import { ServerStartError, startProcess } from './process.ts';

/** Not a valid bucket name, so it hides no bucket. */
const HEALTH_PATH = '/_health';
const REGION = 'us-east-1';

export interface StorageOptions {
  dataFolder: string;
  /** The versitygw binary. */
  binary: string;
  /** A free port, see requirePort. */
  port: number;
  report?: (line: string) => void;
}

export interface RunningStorage {
  pid: number;
  /** `http://127.0.0.1:port`, for path-style addressing. */
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  stop(): Promise<void>;
}

const keysSchema = z.object({ accessKeyId: z.string().min(1), secretAccessKey: z.string().min(1) });

async function keysOf(folder: string): Promise<z.infer<typeof keysSchema>> {
  const file = join(folder, 'keys.json');
  const stored = await readSecret(file);
  if (stored !== undefined) return keysSchema.parse(JSON.parse(stored));
  const keys = { accessKeyId: newSecret(), secretAccessKey: newSecret() };
  await writeSecret(file, JSON.stringify(keys));
  return keys;
}

/** Starts the server and returns when it is ready. Buckets, objects and keys are in `<dataFolder>/storage`. */
export async function startStorage(options: StorageOptions): Promise<RunningStorage> {
  const folder = join(options.dataFolder, 'storage');
  const buckets = join(folder, 'buckets');
  const sidecar = join(folder, 'sidecar');
  await mkdir(buckets, { recursive: true, mode: 0o700 });
  const keys = await keysOf(folder);
  const endpoint = `http://127.0.0.1:${options.port}`;

  function start(metadata: readonly string[]) {
    return startProcess({
      name: 'storage',
      dataFolder: options.dataFolder,
      command: options.binary,
      args: [
        ...[
          '--port',
          `127.0.0.1:${options.port}`,
          '--region',
          REGION,
          '--health',
          HEALTH_PATH,
          '--quiet',
          '--keep-alive',
        ],
        ...['posix', ...metadata, buckets],
      ],
      // Not on the command line, where every user of the machine could read them.
      environment: { ROOT_ACCESS_KEY: keys.accessKeyId, ROOT_SECRET_KEY: keys.secretAccessKey },
      async ready() {
        const response = await fetch(`${endpoint}${HEALTH_PATH}`);
        await response.body?.cancel();
        return response.ok;
      },
      report: options.report,
    });
  }

  /** Stores metadata in extended attributes; where the file system has none (some tmpfs, NFS), in sidecar files. */
  async function startWithMetadata() {
    try {
      return await start([]);
    } catch (error) {
      if (!(error instanceof ServerStartError) || !/xattr|extended attribute/i.test(error.message)) throw error;
      await mkdir(sidecar, { recursive: true, mode: 0o700 });
      return start(['--sidecar', sidecar]);
    }
  }

  const server = await startWithMetadata();
  return { pid: server.pid, endpoint, region: REGION, ...keys, stop: () => server.stop() };
}
