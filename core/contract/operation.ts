import type * as z from 'zod';
import type { ProblemCode } from './problem.ts';

/**
 * What each operation takes and answers, for the OpenAPI document: the schemas are the very ones
 * that validate. What all operations share (401, 403, unexpected errors) is added by the document
 * itself.
 */
export type Operation = {
  readonly summary: string;
  readonly tag: 'jobs' | 'files' | 'edges' | 'fleet' | 'tokens' | 'graph' | 'about';
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: readonly RequestHeader[];
  readonly body?: Body;
  /** Successful answers by status; `null` has no body, a text names its media type. */
  readonly answers: Readonly<Record<number, z.ZodType | string | null>>;
  readonly problems?: readonly ProblemCode[];
  /** Refusals that have a form of their own besides that of a problem, by status. */
  readonly refusals?: Readonly<Record<number, z.ZodType>>;
};

export type RequestHeader = 'idempotency-key' | 'if-match' | 'if-none-match';

export type Body =
  | { readonly schema: z.ZodType; readonly optional?: boolean }
  | { readonly mediaTypes: readonly string[]; readonly description: string };

export const paging = {
  limit: '1 to 500, 50 by default; a page of large items may hold fewer',
  cursor: 'from the page before',
};
export const bodyProblems: readonly ProblemCode[] = [
  'invalid-request',
  'body-too-large',
  'unsupported-media-type',
];
export const missing: readonly ProblemCode[] = ['not-found', 'invalid-request'];
export const put: readonly ProblemCode[] = [...bodyProblems, 'precondition-failed'];
export const edit: readonly ProblemCode[] = [...put, 'not-found'];
export const once: readonly ProblemCode[] = ['idempotency-key-reused', 'idempotency-in-flight'];
