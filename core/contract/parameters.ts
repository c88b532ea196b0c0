import { digestPattern } from '../files/manifest.ts';
import { offerWaitSecondsMax } from '../graph/limits.ts';
import {
  attemptsMax,
  idempotencyKeyLengthMax,
  listLimitDefault,
  listLimitMax,
} from '../model/limits.ts';
import { namePattern } from '../model/names.ts';
import type { RequestHeader } from './operation.ts';
import type { Route } from './routes.ts';

/**
 * Forms of what stands in addresses and headers, for the OpenAPI document. A reader of requests
 * refuses what is not of its form; one that is missing here is a text.
 */
type Json = Readonly<Record<string, unknown>>;

const text: Json = { type: 'string' };
const flag: Json = { type: 'boolean', default: false };
const amount: Json = { type: 'integer', minimum: 0, maximum: 999_999_999 };
const name: Json = { type: 'string', pattern: namePattern.source };
const digest: Json = { type: 'string', pattern: digestPattern.source };
const chunk: Json = { type: 'integer', minimum: 0 };

const inQuery: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['limit', { type: 'integer', minimum: 1, maximum: listLimitMax, default: listLimitDefault }],
  ['cursor', { type: 'string', minLength: 1 }],
  // A list is sent as the same parameter several times.
  ['label', { type: 'array', items: { type: 'string', pattern: '^[^=]+=' } }],
  ...['purge', 'force', 'detach', 'live', 'summary'].map((key): [string, Json] => [key, flag]),
  ...['pool', 'queue', 'edge', 'job'].map((key): [string, Json] => [key, name]),
  ...['max', 'maxNodes', 'maxCores', 'maxSeconds'].map((key): [string, Json] => [key, amount]),
  ['fits', { type: 'string', enum: ['true', 'false', 'some'] }],
  ['waitSeconds', { type: 'integer', minimum: 0, maximum: offerWaitSecondsMax }],
  ['ttlSeconds', { ...amount, minimum: 1 }],
  ['attempt', { type: 'integer', minimum: 1, maximum: attemptsMax * 10 }],
  ['since', { type: 'string', format: 'date-time' }],
  ['chunk', chunk],
]);

/** What is described as `one | another` is one of these words. */
const choice = /^\w+( \| \w+)+$/;

function queryForm(key: string, description: string): Json {
  if (choice.test(description)) return { type: 'string', enum: description.split(' | ') };
  return inQuery.get(key) ?? text;
}

export function queryParameters(query: Readonly<Record<string, string>>): Json[] {
  return Object.entries(query).map(([key, description]) => ({
    name: key,
    in: 'query',
    description,
    schema: queryForm(key, description),
  }));
}

const inPath: ReadonlyMap<string, Json> = new Map([
  ['name', name],
  ['subsystem', name],
  ['id', name],
  ['sha256', digest],
  ['chunk', chunk],
]);

export function pathParameters(route: Route): Json[] {
  return [...route.path.matchAll(/\{(\w+)\+?\}/g)].map(([, key = '']) => ({
    name: key,
    in: 'path',
    required: true,
    schema: inPath.get(key) ?? { type: 'string', minLength: 1 },
  }));
}

const inHeaders: Readonly<Record<RequestHeader, Json>> = {
  'idempotency-key': {
    description: 'The same key and body get the first answer again.',
    schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyLengthMax },
  },
  'if-match': {
    description: 'Only if it has not changed since this ETag was given.',
    schema: text,
  },
  'if-none-match': {
    description: 'An ETag to read only what is new; * to create and never overwrite.',
    schema: text,
  },
};

export function headerParameters(headers: readonly RequestHeader[]): Json[] {
  return headers.map((key) => ({ name: key, in: 'header', ...inHeaders[key] }));
}
