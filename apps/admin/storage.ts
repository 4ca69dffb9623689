/** Access of commands to the bucket. */
import { type Config, loadConfig } from '../../platform/config.ts';
import { createStorage, type Storage, storageOptions } from '../../platform/storage.ts';

/** Runs `work` with the bucket and the settings of the service, and closes the storage. */
export async function withStorage<T>(work: (storage: Storage, config: Config) => Promise<T>): Promise<T> {
  const config = loadConfig();
  const storage = createStorage(storageOptions(config));
  try {
    return await work(storage, config);
  } finally {
    storage.close();
  }
}
