/** S3 on this machine: versitygw over a folder. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { keep, newSecret, readKept } from './kept-secret.ts';
import { ServerStartError, startProcess } from './process.ts';

/** No bucket can have this name, so it hides none. */
const HEALTH_PATH = '/_health';
const REGION = 'us-east-1';

export interface StorageOptions {
  dataFolder: string;
  /** The versitygw binary. */
  binary: string;
  /** Free, see requirePort. */
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
  const kept = await readKept(file);
  if (kept !== undefined) return keysSchema.parse(JSON.parse(kept));
  const keys = { accessKeyId: newSecret(), secretAccessKey: newSecret() };
  await keep(file, JSON.stringify(keys));
  return keys;
}

/** Starts the server and returns once it answers. Buckets, objects and keys lie under `<dataFolder>/storage`. */
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
      // Keys on the command line would be seen by every user of the machine.
      environment: { ROOT_ACCESS_KEY: keys.accessKeyId, ROOT_SECRET_KEY: keys.secretAccessKey },
      async ready() {
        const response = await fetch(`${endpoint}${HEALTH_PATH}`);
        await response.body?.cancel();
        return response.ok;
      },
      report: options.report,
    });
  }

  /** Metadata go to extended attributes; where the file system has none (some tmpfs, NFS), to files beside. */
  async function startWhereItCan() {
    try {
      return await start([]);
    } catch (error) {
      if (!(error instanceof ServerStartError) || !/xattr|extended attribute/i.test(error.message)) throw error;
      await mkdir(sidecar, { recursive: true, mode: 0o700 });
      return start(['--sidecar', sidecar]);
    }
  }

  const server = await startWhereItCan();
  return { pid: server.pid, endpoint, region: REGION, ...keys, stop: () => server.stop() };
}
