/** The bucket as commands reach it. */
import { type Config, loadConfig } from '../../platform/config.ts';
import { createStorage, type Storage, storageOptions } from '../../platform/storage.ts';

/** Runs `work` with the service's settings and its bucket. */
export async function withStorage<T>(work: (storage: Storage, config: Config) => Promise<T>): Promise<T> {
  const config = loadConfig();
  const storage = createStorage(storageOptions(config));
  try {
    return await work(storage, config);
  } finally {
    storage.close();
  }
}
