import { Client, Connection } from '@temporalio/client';
import type { Config } from './config.ts';

/** Longest time that a call to Temporal may take; less than the lease of a command. */
const CALL_TIMEOUT_MS = 5_000;
/** Without it gRPC waits up to two minutes before it looks whether a server is back. */
const MOST_RECONNECT_BACKOFF_MS = 1_000;
/** Servers refuse to be asked more often than this by default. */
const KEEPALIVE_MS = 15_000;

/** A client that connects when it is first needed, so that a process starts while Temporal is away. */
export function createTemporalClient(config: Pick<Config, 'TEMPORAL_ADDRESS' | 'TEMPORAL_NAMESPACE'>): Client {
  const connection = Connection.lazy({
    address: config.TEMPORAL_ADDRESS,
    connectTimeout: CALL_TIMEOUT_MS,
    channelArgs: {
      'grpc.max_reconnect_backoff_ms': MOST_RECONNECT_BACKOFF_MS,
      // A server that went away without a word is noticed within 20 s, and the next call gets a new connection.
      'grpc.keepalive_time_ms': KEEPALIVE_MS,
      'grpc.keepalive_timeout_ms': CALL_TIMEOUT_MS,
      'grpc.keepalive_permit_without_calls': 1,
    },
  });
  return new Client({ connection, namespace: config.TEMPORAL_NAMESPACE });
}

/** Fails unless Temporal answers within `ms` and knows the credentials and the namespace, as all calls need it to. */
export async function askNamespace(client: Client, ms = CALL_TIMEOUT_MS): Promise<void> {
  const { namespace } = client.options;
  await withDeadline(client, () => client.workflowService.describeNamespace({ namespace }), ms);
}

/** Runs a call to Temporal with a time limit. */
export function withDeadline<T>(client: Client, call: () => Promise<T>, ms = CALL_TIMEOUT_MS): Promise<T> {
  return client.withDeadline(Date.now() + ms, call);
}
