import type * as z from 'zod';
import { ProblemError } from '../../../core/contract/problem.ts';
import { checkBody } from '../../../core/contract/validation.ts';
import { bodyBytesMax } from '../../../core/model/limits.ts';
import type { Call } from './call.ts';

/** Reads and checks a JSON body; everything that can be wrong with one is said here. */
export function readBody<S extends z.ZodType>(call: Call, schema: S): z.output<S> {
  return checked(schema, parseJson(call));
}

/** For bodies that may be absent: then the schema sees an empty object. */
export function readOptionalBody<S extends z.ZodType>(call: Call, schema: S): z.output<S> {
  return call.body.length === 0 ? checked(schema, {}) : readBody(call, schema);
}

export function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = checkBody(schema, value);
  if (result.ok) return result.value;
  const [first] = result.errors;
  const at = first === undefined || first.pointer === '' ? '' : ` at ${first.pointer}`;
  throw new ProblemError(
    'invalid-request',
    `The request is not valid${at}: ${first?.message ?? 'it has no known form.'}`,
    { errors: result.errors },
  );
}

export function checkSize(call: Call): void {
  if (call.body.length > bodyBytesMax) throw new ProblemError('body-too-large');
}

const decoder = new TextDecoder('utf-8', { fatal: true });

export function readText(call: Call): string {
  checkSize(call);
  try {
    return decoder.decode(call.body);
  } catch {
    throw new ProblemError('invalid-json', 'The body is not valid UTF-8.');
  }
}

function parseJson(call: Call): unknown {
  checkSize(call);
  checkMediaType(call);
  const text = readText(call);
  if (text.trim() === '') {
    throw new ProblemError('invalid-json', 'The body is empty; send a JSON object.');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ProblemError('invalid-json');
  }
}

const jsonType = /^application\/(json|[a-z0-9.+-]+\+json)\s*(;|$)/i;

function checkMediaType(call: Call): void {
  const type = call.headers['content-type'];
  if (type !== undefined && !jsonType.test(type)) {
    throw new ProblemError('unsupported-media-type');
  }
}
