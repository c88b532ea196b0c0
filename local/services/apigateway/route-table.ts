/**
 * Chooses the route of a request as HTTP APIs do
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html): a
 * full match, then a match with a greedy variable, then `$default`. Among equals the longer fixed
 * beginning wins, and a named method wins over ANY.
 */
import type { RouteDefinition } from './definition.ts';

export type RouteMatch = {
  readonly route: RouteDefinition;
  readonly pathParameters: Readonly<Record<string, string>>;
};

export type RouteTable = {
  match(method: string, path: string): RouteMatch | undefined;
  /** True when a route takes this path with the method OPTIONS: ANY and `$default` do. */
  hasOptions(path: string): boolean;
};

type Compiled = {
  readonly route: RouteDefinition;
  readonly method: string;
  readonly parts: readonly string[];
  readonly isGreedy: boolean;
};

export function routeTable(routes: readonly RouteDefinition[]): RouteTable {
  const fallback = routes.find((route) => route.key === '$default');
  const compiled = routes
    .filter((route) => route.key !== '$default')
    .map(compile)
    .sort(bySpecificity);
  const find = (method: string, path: string): RouteMatch | undefined => {
    const parts = partsOf(path);
    for (const candidate of compiled) {
      if (candidate.method !== 'ANY' && candidate.method !== method) continue;
      const pathParameters = bind(candidate, parts);
      if (pathParameters !== undefined) return { route: candidate.route, pathParameters };
    }
    return undefined;
  };
  return {
    match: (method, path) =>
      find(method, path) ??
      (fallback === undefined ? undefined : { route: fallback, pathParameters: {} }),
    hasOptions: (path) => fallback !== undefined || find('OPTIONS', path) !== undefined,
  };
}

function compile(route: RouteDefinition): Compiled {
  const [method = '', path = ''] = route.key.split(' ');
  const parts = partsOf(path);
  return { route, method, parts, isGreedy: parts.at(-1)?.endsWith('+}') ?? false };
}

function partsOf(path: string): string[] {
  return path.split('/').slice(1);
}

function bySpecificity(a: Compiled, b: Compiled): number {
  if (a.isGreedy !== b.isGreedy) return a.isGreedy ? 1 : -1;
  const length = Math.max(a.parts.length, b.parts.length);
  for (let i = 0; i < length; i += 1) {
    const difference = weight(b.parts[i]) - weight(a.parts[i]);
    if (difference !== 0) return difference;
  }
  return Number(a.method === 'ANY') - Number(b.method === 'ANY');
}

/** Fixed text before a variable, a variable before a greedy one, and that before nothing. */
function weight(part: string | undefined): number {
  if (part === undefined) return 0;
  if (part.endsWith('+}')) return 1;
  return part.startsWith('{') ? 2 : 3;
}

function bind(candidate: Compiled, parts: readonly string[]): Record<string, string> | undefined {
  const { parts: wanted, isGreedy } = candidate;
  if (isGreedy ? parts.length < wanted.length : parts.length !== wanted.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const actual = parts[i] ?? '';
    if (part.endsWith('+}')) {
      const rest = parts.slice(i).join('/');
      if (rest === '') return undefined;
      parameters[part.slice(1, -2)] = rest;
      return parameters;
    }
    if (part.startsWith('{')) {
      if (actual === '') return undefined;
      parameters[part.slice(1, -1)] = actual;
    } else if (part !== actual) return undefined;
  }
  return parameters;
}
