import type { FieldError } from './validation.ts';

/**
 * Every error a user can meet: its stable code, its status, its title, and the sentence when a
 * place has no better one. Answered as `application/problem+json`.
 */
export const problemTable = {
  'invalid-request': [400, 'Invalid request', 'The request is not valid.'],
  'invalid-json': [400, 'Invalid JSON', 'The body is not valid JSON.'],
  'invalid-cursor': [
    400,
    'Invalid cursor',
    'This cursor was not given by this list with these filters.',
  ],
  unauthenticated: [401, 'Not authenticated', 'Send a valid token: "Authorization: Bearer …".'],
  forbidden: [403, 'Not allowed', 'This token may not do this.'],
  'not-found': [404, 'Not found', 'There is no such thing.'],
  'subsystem-not-found': [404, 'Not found', 'The cluster has no such subsystem.'],
  'method-not-allowed': [405, 'Method not allowed', 'This address does not take this method.'],
  conflict: [409, 'Conflict', 'This is not possible in the present state.'],
  'schedule-exists': [409, 'Schedule exists', 'There is a schedule of this name already.'],
  'edge-exists': [409, 'Edge exists', 'A live edge has this name already.'],
  'subsystem-detached': [
    409,
    'Subsystem detached',
    'A subsystem is attached to what this graph does not have.',
  ],
  'name-taken': [409, 'Name taken', 'A service of this name lives in the pool.'],
  'job-exists': [409, 'Job exists', 'A job has this id already.'],
  'nothing-to-retry': [409, 'Nothing to retry', 'This job has no dead chunks.'],
  'not-finished': [409, 'Not finished', 'Only a finished job can be purged; cancel it first.'],
  'pool-in-use': [409, 'Pool in use', 'This pool has edges or jobs that have not ended.'],
  'idempotency-in-flight': [
    409,
    'Still in flight',
    'The first request with this Idempotency-Key has not been answered yet.',
  ],
  'cursor-too-old': [
    410,
    'Cursor too old',
    'Some of what follows this cursor is not kept any more; read anew, and go on from `after=now`.',
  ],
  'precondition-failed': [412, 'Precondition failed', 'It has changed since it was read.'],
  'body-too-large': [413, 'Body too large', 'A body has at most 262144 bytes.'],
  'unsupported-media-type': [415, 'Unsupported media type', 'Send the body as application/json.'],
  'idempotency-key-reused': [
    422,
    'Idempotency-Key reused',
    'This Idempotency-Key was used for another request.',
  ],
  'no-cluster-selected': [
    422,
    'No cluster selected',
    'Clusters match, and none of the priorities leaves one.',
  ],
  unsatisfiable: [422, 'Unsatisfiable', 'This can never be done.'],
  'unsupported-run': [422, 'Unsupported run', 'No edge of this pool can run this.'],
  'input-missing': [422, 'Input missing', 'A file that this job needs is not stored.'],
  'limit-reached': [422, 'Limit reached', 'There are as many of these as there can be.'],
  'too-many-requests': [429, 'Too many requests', 'Slow down and try again.'],
  'internal-error': [500, 'Internal error', 'Something went wrong on our side; try again.'],
  'temporarily-unavailable': [503, 'Temporarily unavailable', 'Try again in a moment.'],
} as const satisfies Readonly<Record<string, readonly [number, string, string]>>;

export type ProblemCode = keyof typeof problemTable;

export const problemCodes = Object.keys(problemTable) as ProblemCode[];

/** As it is answered; its schema is with the document of the API. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail: string;
  errors?: FieldError[] | undefined;
  requestId: string;
};

/**
 * A user error on its way to the answer. Thrown by handlers, turned into an answer in one place.
 */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail?: string,
    more: {
      readonly errors?: readonly FieldError[];
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(detail ?? problemTable[code][2]);
    this.code = code;
    this.errors = more.errors;
    this.headers = more.headers ?? {};
  }

  get status(): number {
    return problemTable[this.code][0];
  }

  toProblem(requestId: string): Problem {
    const [status, title] = problemTable[this.code];
    return {
      type: `https://edgewise.dev/problems/${this.code}`,
      title,
      status,
      code: this.code,
      detail: this.message,
      ...(this.errors === undefined ? {} : { errors: [...this.errors] }),
      requestId,
    };
  }
}

export function invalid(pointer: string, message: string): ProblemError {
  return new ProblemError('invalid-request', message, { errors: [{ pointer, message }] });
}

export function notFound(what: string): ProblemError {
  return new ProblemError('not-found', `There is no ${what}.`);
}
