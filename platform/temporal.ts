import { status } from '@grpc/grpc-js';
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  isGrpcServiceError,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { searchAttributes } from '../contract/commands.ts';
import { connectionSettings, type TemporalSettings } from './temporal-settings.ts';

/** Timeout of a call to Temporal; less than the lease of a command (30 s). */
const CALL_TIMEOUT_MS = 5_000;
/** By default gRPC waits up to two minutes before it reconnects. */
const MAX_RECONNECT_BACKOFF_MS = 1_000;
/** Servers reject more frequent pings by default. */
const KEEPALIVE_MS = 15_000;

/** These take about a second. With the SDK's ten, a call would end by its timeout, which hides the reason. */
const MAX_ATTEMPTS = 4;

/** Creates a client that connects on first use, so that a process can start while Temporal is away. */
export function createTemporalClient(config: TemporalSettings): Client {
  const connection = Connection.lazy({
    ...connectionSettings(config),
    connectTimeout: CALL_TIMEOUT_MS,
    interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions({ maxAttempts: MAX_ATTEMPTS }))],
    channelArgs: {
      'grpc.max_reconnect_backoff_ms': MAX_RECONNECT_BACKOFF_MS,
      // Detects a silently lost connection within 20 s; the next call opens a new one.
      'grpc.keepalive_time_ms': KEEPALIVE_MS,
      'grpc.keepalive_timeout_ms': CALL_TIMEOUT_MS,
      'grpc.keepalive_permit_without_calls': 1,
    },
  });
  return new Client({ connection, namespace: config.TEMPORAL_NAMESPACE });
}

/** The namespace lacks search attributes, or has them with another type, so that no run can be started in it. */
export class SearchAttributesMissingError extends Error {
  override readonly name = 'SearchAttributesMissingError';

  constructor(namespace: string, missing: readonly (readonly [name: string, type: string])[]) {
    const list = missing.map(([name, type]) => `${name} (${type})`).join(', ');
    const options = missing.map(([name, type]) => `--name ${name} --type ${type}`).join(' ');
    const cloudOptions = missing.map(([name, type]) => `--sa ${name}=${type}`).join(' ');
    super(
      `The Temporal namespace ${namespace} lacks the search attributes ${list}. Create them: ` +
        `temporal operator search-attribute create --namespace ${namespace} ${options} ` +
        `(in Temporal Cloud: tcld namespace search-attributes add --namespace ${namespace} ${cloudOptions})`,
    );
  }
}

/** IndexedValueType of Temporal's API. */
const indexedTypes = { Keyword: 2, Int: 3 } as const;

/** Clients whose namespace has every search attribute, as an earlier check found. */
const checkedClients = new WeakSet<Client>();

/**
 * Checks that Temporal responds within `ms`, accepts the credentials, and has the namespace with all search attributes,
 * so that runs can be started. The attributes are checked until they are complete once.
 * @throws SearchAttributesMissingError; any error of the call
 */
export async function checkTemporal(client: Client, ms = CALL_TIMEOUT_MS): Promise<void> {
  const { namespace } = client.options;
  await withDeadline(client, () => client.workflowService.describeNamespace({ namespace }), ms);
  if (checkedClients.has(client)) return;
  const attributes = Object.entries(searchAttributes);
  const present = await withDeadline(client, () => presentAttributes(client, attributes), ms);
  const missing = attributes.filter((_, index) => present[index] === false);
  if (missing.length > 0) throw new SearchAttributesMissingError(namespace, missing);
  if (present.every((isPresent) => isPresent === true)) checkedClients.add(client);
}

/** Returns for each attribute whether the namespace has it with its type; null if unknown. */
async function presentAttributes(
  client: Client,
  attributes: [name: string, type: keyof typeof indexedTypes][],
): Promise<(boolean | null)[]> {
  const { namespace } = client.options;
  try {
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
    return attributes.map(([name, type]) => customAttributes[name] === indexedTypes[type]);
  } catch {
    // The list needs operator rights. Without them, a visibility query shows whether a name is known.
    return Promise.all(attributes.map(([name]) => accepts(client, `${name} IS NULL`)));
  }
}

/** Whether Temporal accepts a visibility query; null for any other error, since runs do not need such queries. */
async function accepts(client: Client, query: string): Promise<boolean | null> {
  try {
    await client.workflowService.countWorkflowExecutions({ namespace: client.options.namespace, query });
    return true;
  } catch (error) {
    return isGrpcServiceError(error) && error.code === status.INVALID_ARGUMENT ? false : null;
  }
}

/** Runs a call to Temporal with a timeout. */
export function withDeadline<T>(client: Client, call: () => Promise<T>, ms = CALL_TIMEOUT_MS): Promise<T> {
  return client.withDeadline(Date.now() + ms, call);
}
