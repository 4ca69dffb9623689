/** What the pool and its children say to each other. */
import { z } from 'zod';
import { isSourceErrorCode, SourceError, type SourceErrorCode, sourceErrors } from '../../contract/errors.ts';
import type { TaskInput, TaskName, TaskResult } from './tasks.ts';

export type Request = { [Name in TaskName]: { task: Name; input: TaskInput<Name> } }[TaskName];

/** What a child is sent: a request, and whether it has never read anything of another owner's than this one's. */
export interface Order {
  request: Request;
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

/** Each task once, checked against the tasks themselves by its type. */
const taskNames: Record<TaskName, true> = {
  convert: true,
  read: true,
  join: true,
  joinedContext: true,
  artifacts: true,
  readArtifacts: true,
  enrich: true,
  pageTitle: true,
};

function isTaskName(name: string): name is TaskName {
  return Object.hasOwn(taskNames, name);
}

/**
 * A child is `ready` once, when its modules are loaded; after that each request gets a result or a failure, or is
 * handed back as `elsewhere`: it takes a child that has read nothing of other owners. Before one of the first two a child
 * may say `exclusive`: from now on it must not read for another owner (see pool.ts).
 */
export type Reply<Name extends TaskName> =
  | { kind: 'ready' }
  | { kind: 'exclusive' }
  | { kind: 'elsewhere' }
  | { kind: 'result'; result: TaskResult<Name> }
  | { kind: 'failure'; failure: Failure };

/** True for an order; the shape of its request's input is the sender's, which has the same types. */
export function isOrder(message: unknown): message is Order {
  if (typeof message !== 'object' || message === null) return false;
  return 'request' in message && isRequest(message.request) && 'hasOneOwner' in message;
}

function isRequest(message: unknown): message is Request {
  if (typeof message !== 'object' || message === null) return false;
  return 'input' in message && 'task' in message && typeof message.task === 'string' && isTaskName(message.task);
}

/** True for a reply; a result's shape is that of the task that the child was given. */
export function isReply<Name extends TaskName>(message: unknown): message is Reply<Name> {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return false;
  if (message.kind === 'result') return 'result' in message;
  if (message.kind === 'failure') return 'failure' in message && failureSchema.safeParse(message.failure).success;
  return ['ready', 'exclusive', 'elsewhere'].some((kind) => kind === message.kind);
}

/** An error as a child reports it. */
export function failureOf(error: unknown): Failure {
  if (error instanceof SourceError) {
    return { kind: 'source', code: error.code, message: error.message, retryable: error.retryable };
  }
  if (error instanceof RangeError && /call stack/i.test(error.message)) {
    return failureOf(new SourceError('extraction_limit', 'The content is nested too deeply.'));
  }
  if (error instanceof RangeError && /allocation failed|invalid (?:string|array) length/i.test(error.message)) {
    return failureOf(new SourceError('extraction_memory', 'The content takes more memory than allowed.'));
  }
  if (error instanceof Error) return { kind: 'other', name: error.name, message: error.message, stack: error.stack };
  return { kind: 'other', name: 'Error', message: String(error), stack: undefined };
}

/** The error that a failure stands for: with the same message, and anything unforeseen as the cause of `internal`. */
export function errorOf(failure: Failure): SourceError {
  if (failure.kind === 'source') {
    // The constructor appends the remedy, which the child's error carries already.
    const remedy = ` ${sourceErrors[failure.code].remedy}`;
    const message = failure.message.endsWith(remedy) ? failure.message.slice(0, -remedy.length) : failure.message;
    return new SourceError(failure.code, message, { retryable: failure.retryable });
  }
  const cause = new Error(failure.message);
  cause.name = failure.name;
  if (failure.stack !== undefined) cause.stack = failure.stack;
  return new SourceError('internal', 'The content could not be processed because of an error of ours.', { cause });
}

/** A request whose task and input belong together by its caller's types. */
export function requestOf<Name extends TaskName>(task: Name, input: TaskInput<Name>): Request {
  const request: unknown = { task, input };
  if (!isRequest(request)) throw new TypeError(`No such extraction task: ${task}`);
  return request;
}
