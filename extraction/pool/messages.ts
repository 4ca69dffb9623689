/** Messages between the pool and its children. */
import { z } from 'zod';
import { isSourceErrorCode, SourceError, type SourceErrorCode, sourceErrors } from '../../contract/errors.ts';
import type { TaskInput, TaskName, TaskResult } from './tasks.ts';

export type Request = { [Name in TaskName]: { task: Name; input: TaskInput<Name> } }[TaskName];

/** Message of the pool to a child. */
export interface TaskMessage {
  request: Request;
  /** Whether all documents that the child has read, including this one, belong to one owner. */
  hasOneOwner: boolean;
}

const failureSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('source'),
    code: z.custom<SourceErrorCode>(isSourceErrorCode),
    message: z.string(),
    retryable: z.boolean(),
  }),
  z.object({ kind: z.literal('other'), name: z.string(), message: z.string(), stack: z.string().optional() }),
]);
export type Failure = z.infer<typeof failureSchema>;

/** The type makes the compiler check that each task is listed. */
const taskNames: Record<TaskName, true> = {
  convert: true,
  read: true,
  join: true,
  readJoined: true,
  artifacts: true,
  readArtifacts: true,
  enrich: true,
  pageTitle: true,
};

function isTaskName(name: string): name is TaskName {
  return Object.hasOwn(taskNames, name);
}

/**
 * A child sends `ready` once, when its modules are loaded. Then it replies to each request with `result`, `failure` or
 * `reassign`: the task needs a child that has read no document of another owner. Before `result` or `failure` it may
 * send `exclusive`: from now on it must not read for another owner (readers.ts).
 */
export type Reply<Name extends TaskName> =
  | { kind: 'ready' }
  | { kind: 'exclusive' }
  | { kind: 'reassign' }
  | { kind: 'result'; result: TaskResult<Name> }
  | { kind: 'failure'; failure: Failure };

/** True for a task message. The shape of the input is not checked: the sender is compiled with the same types. */
export function isTaskMessage(message: unknown): message is TaskMessage {
  if (typeof message !== 'object' || message === null) return false;
  return 'request' in message && isRequest(message.request) && 'hasOneOwner' in message;
}

function isRequest(message: unknown): message is Request {
  if (typeof message !== 'object' || message === null) return false;
  return 'input' in message && 'task' in message && typeof message.task === 'string' && isTaskName(message.task);
}

/** True for a reply. The shape of a result is not checked; its type follows from the task. */
export function isReply<Name extends TaskName>(message: unknown): message is Reply<Name> {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return false;
  if (message.kind === 'result') return 'result' in message;
  if (message.kind === 'failure') return 'failure' in message && failureSchema.safeParse(message.failure).success;
  return ['ready', 'exclusive', 'reassign'].some((kind) => kind === message.kind);
}

/** An error in the form that a child sends. */
export function failureOf(error: unknown): Failure {
  if (error instanceof SourceError) {
    return { kind: 'source', code: error.code, message: error.message, retryable: error.retryable };
  }
  if (error instanceof RangeError && /call stack/i.test(error.message)) {
    return failureOf(new SourceError('extraction_limit', 'The content is nested too deeply.'));
  }
  if (error instanceof RangeError && /allocation failed|invalid (?:string|array) length/i.test(error.message)) {
    return failureOf(new SourceError('extraction_memory', 'Reading the content needs more memory than allowed.'));
  }
  if (error instanceof Error) return { kind: 'other', name: error.name, message: error.message, stack: error.stack };
  return { kind: 'other', name: 'Error', message: String(error), stack: undefined };
}

/** The error of a failure: a SourceError with the same message, or `internal` with any other error as its cause. */
export function errorOf(failure: Failure): SourceError {
  if (failure.kind === 'source') {
    // The child's message already has the remedy, which the constructor appends again.
    const remedy = ` ${sourceErrors[failure.code].remedy}`;
    const message = failure.message.endsWith(remedy) ? failure.message.slice(0, -remedy.length) : failure.message;
    return new SourceError(failure.code, message, { retryable: failure.retryable });
  }
  const cause = new Error(failure.message);
  cause.name = failure.name;
  if (failure.stack !== undefined) cause.stack = failure.stack;
  return new SourceError('internal', 'The content could not be processed because of a service error.', { cause });
}

/** The request of a task; the types of the caller make sure that the input is the task's. */
export function requestOf<Name extends TaskName>(task: Name, input: TaskInput<Name>): Request {
  const request: unknown = { task, input };
  if (!isRequest(request)) throw new TypeError(`Unknown extraction task: ${task}`);
  return request;
}
