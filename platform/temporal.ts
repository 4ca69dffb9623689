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

/** Longest time that a call to Temporal may take; less than the lease of a command. */
const CALL_TIMEOUT_MS = 5_000;
/** Without it gRPC waits up to two minutes before it looks whether a server is back. */
const MAX_RECONNECT_BACKOFF_MS = 1_000;
/** Servers refuse to be asked more often than this by default. */
const KEEPALIVE_MS = 15_000;

/** Within a second or so: by the SDK's ten, a call would end at its time limit, which says nothing of the reason. */
const MAX_ATTEMPTS = 4;

/** A client that connects when it is first needed, so that a process starts while Temporal is away. */
export function createTemporalClient(config: TemporalSettings): Client {
  const connection = Connection.lazy({
    ...connectionSettings(config),
    connectTimeout: CALL_TIMEOUT_MS,
    interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions({ maxAttempts: MAX_ATTEMPTS }))],
    channelArgs: {
      'grpc.max_reconnect_backoff_ms': MAX_RECONNECT_BACKOFF_MS,
      // A server that went away without a word is noticed within 20 s, and the next call gets a new connection.
      'grpc.keepalive_time_ms': KEEPALIVE_MS,
      'grpc.keepalive_timeout_ms': CALL_TIMEOUT_MS,
      'grpc.keepalive_permit_without_calls': 1,
    },
  });
  return new Client({ connection, namespace: config.TEMPORAL_NAMESPACE });
}

/** The namespace lacks search attributes, or has others of the same name, so that no run can be started in it. */
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

/** Clients whose namespace was seen to have every search attribute. */
const complete = new WeakSet<Client>();

/**
 * Fails unless Temporal answers within `ms`, accepts the credentials, and has the namespace with its search attributes,
 * as starting a run needs it to. The attributes are looked at until they were complete once.
 * @throws SearchAttributesMissingError
 */
export async function checkTemporal(client: Client, ms = CALL_TIMEOUT_MS): Promise<void> {
  const { namespace } = client.options;
  await withDeadline(client, () => client.workflowService.describeNamespace({ namespace }), ms);
  if (complete.has(client)) return;
  const attributes = Object.entries(searchAttributes);
  const present = await withDeadline(client, () => presentAttributes(client, attributes), ms);
  const missing = attributes.filter((_, index) => present[index] === false);
  if (missing.length > 0) throw new SearchAttributesMissingError(namespace, missing);
  if (present.every((is) => is === true)) complete.add(client);
}

/** Whether the namespace has each attribute with its type; null where Temporal does not say. */
async function presentAttributes(
  client: Client,
  attributes: [name: string, type: keyof typeof indexedTypes][],
): Promise<(boolean | null)[]> {
  const { namespace } = client.options;
  try {
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
    return attributes.map(([name, type]) => customAttributes[name] === indexedTypes[type]);
  } catch {
    // The list is for operators: who may only run workflows is told by a query whether a name is known.
    return Promise.all(attributes.map(([name]) => accepts(client, `${name} IS NULL`)));
  }
}

/** Whether Temporal accepts a query; null where it does not say, since runs may be started without that. */
async function accepts(client: Client, query: string): Promise<boolean | null> {
  try {
    await client.workflowService.countWorkflowExecutions({ namespace: client.options.namespace, query });
    return true;
  } catch (error) {
    return isGrpcServiceError(error) && error.code === status.INVALID_ARGUMENT ? false : null;
  }
}

/** Runs a call to Temporal with a time limit. */
export function withDeadline<T>(client: Client, call: () => Promise<T>, ms = CALL_TIMEOUT_MS): Promise<T> {
  return client.withDeadline(Date.now() + ms, call);
}
