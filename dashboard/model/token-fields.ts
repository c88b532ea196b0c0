import type { Token } from '../../core/contract/resources.ts';
import { type Scope, scopes } from '../../core/contract/scopes.ts';

/**
 * A new token as a form says it, and the body made of it. What is left empty is left to the server.
 */
export const lifetimes: readonly (readonly [seconds: number | null, words: string])[] = [
  [null, 'as usual'],
  [3_600, '1 hour'],
  [86_400, '1 day'],
  [7 * 86_400, '1 week'],
  [90 * 86_400, '90 days'],
  [365 * 86_400, '1 year'],
];

export function tokenBodyOf(fields: FormData): Record<string, unknown> {
  const text = (name: string) => String(fields.get(name) ?? '').trim();
  const asked = fields.getAll('scope');
  const body: Record<string, unknown> = {
    name: text('name'),
    scopes: scopes.filter((scope) => asked.includes(scope)),
  };
  for (const name of ['pool', 'queue', 'edge']) if (text(name) !== '') body[name] = text(name);
  for (const name of ['uses', 'ttlSeconds']) {
    if (text(name) !== '') body[name] = Number(text(name));
  }
  return body;
}

/** What the token may not go beyond, in words. */
export function limitsOf(token: Token): string {
  const { pool, queue, edge, usesLeft } = token;
  const limits = [
    pool === null ? '' : `pool ${pool}`,
    queue === null ? '' : `queue ${queue}`,
    edge === null ? '' : `edge ${edge}`,
    usesLeft === null ? '' : usesLeft === 1 ? '1 more edge' : `${usesLeft} more edges`,
  ].filter((limit) => limit !== '');
  return limits.length === 0 ? 'nothing' : limits.join(', ');
}

export const scopeWords: Readonly<Record<Scope, string>> = {
  'jobs:read': 'see jobs and figures',
  'jobs:write': 'submit, cancel, retry',
  'edges:read': 'see edges',
  'edges:write': 'cordon, drain, remove',
  'edges:enrol': 'bring in new edges',
  'fleet:admin': 'everything, tokens too',
};
