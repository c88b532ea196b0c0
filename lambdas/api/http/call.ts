import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { notFound, ProblemError } from '../../../core/contract/problem.ts';
import { type Caller, parseCaller } from '../../../core/model/caller.ts';
import {
  type EdgeName,
  isName,
  type JobId,
  parseEdgeName,
  parseJobId,
} from '../../../core/model/names.ts';

/** One request as handlers see it: its caller is known, its parts are named. */
export type Call = {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Query parameters that were given more than once, with all their values. */
  readonly repeated: Readonly<Record<string, readonly string[]>>;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly caller: Caller | null;
  readonly nowMs: number;
};

/** What a handler gives back. A body that is neither text nor bytes goes out as JSON. */
export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

export type Handler<D> = (call: Call, deps: D) => Promise<Answer>;

export function readCall(event: APIGatewayProxyEventV2, nowMs: number): Omit<Call, 'caller'> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(event.headers ?? {})) {
    if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  const http = event.requestContext.http;
  return {
    requestId: event.requestContext.requestId,
    method: http.method,
    path: event.rawPath,
    params: definedOf(event.pathParameters),
    ...readQuery(event.rawQueryString),
    headers,
    body: Buffer.from(event.body ?? '', event.isBase64Encoded === true ? 'base64' : 'utf8'),
    nowMs,
  };
}

/**
 * From the raw text: the gateway's own reading joins repeated parameters with commas that values
 * may hold, too.
 */
function readQuery(raw: string): Pick<Call, 'query' | 'repeated'> {
  const query: Record<string, string> = Object.create(null);
  const repeated: Record<string, readonly string[]> = Object.create(null);
  const parameters = new URLSearchParams(raw);
  for (const [name, value] of parameters) {
    if (name in query) repeated[name] = parameters.getAll(name);
    else query[name] = value;
  }
  return { query, repeated };
}

/**
 * The authorizer hands over the caller as JSON, or why it could not find out; a route without an
 * authorizer has none.
 */
export function readCaller(event: APIGatewayProxyEventV2): Caller | null {
  const context = event.requestContext as { authorizer?: { lambda?: { caller?: unknown } } };
  const caller = context.authorizer?.lambda?.caller;
  if (typeof caller !== 'string' || caller === '') return null;
  const headers = { 'retry-after': '1' };
  if (caller === 'busy') throw new ProblemError('too-many-requests', undefined, { headers });
  if (caller === 'unavailable') {
    throw new ProblemError('temporarily-unavailable', undefined, { headers });
  }
  return parseCaller(parsed(caller));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function definedOf(values: Readonly<Record<string, string | undefined>> | undefined) {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(values ?? {})) {
    if (value !== undefined) out[name] = value;
  }
  return out;
}

/** The caller of a route that has checked for one. */
export function callerOf(call: Call): Caller {
  if (call.caller === null) throw new ProblemError('unauthenticated');
  return call.caller;
}

/** A name in the path; 404 for one that could not exist. */
export function paramOf(call: Call, name: string, what: string): string {
  const value = call.params[name] ?? '';
  if (!isName(value)) throw notFound(what);
  return value;
}

export function jobOfPath(call: Call): JobId {
  return jobNamed(call.params.id ?? '');
}

export function edgeOfPath(call: Call): EdgeName {
  return edgeNamed(call.params.name ?? '');
}

/** An id from outside; 404 for one that could not exist. */
export function jobNamed(id: string): JobId {
  const job = parseJobId(id);
  if (job === null) throw notFound('such job');
  return job;
}

export function edgeNamed(name: string): EdgeName {
  const edge = parseEdgeName(name);
  if (edge === null) throw notFound('such edge');
  return edge;
}

/** All values of a query parameter that may be given several times. */
export function valuesOf({ query, repeated }: Pick<Call, 'query' | 'repeated'>, name: string) {
  const one = query[name];
  return one === undefined ? [] : (repeated[name] ?? [one]);
}

/** `PUT` may create what the path names, so a name that is not valid is a 400 and not a 404. */
export function newNameOf(call: Call, name: string): string {
  const value = call.params[name] ?? '';
  if (isName(value)) return value;
  const message = 'A name is 1 to 64 lower-case letters, digits and inner hyphens.';
  throw new ProblemError('invalid-request', `The ${name} in the path is not valid: ${message}`, {
    errors: [{ pointer: `#${name}`, message }],
  });
}

/**
 * Refuses query parameters that the route does not know, so that a misspelt filter is not ignored,
 * and those given twice, so that none of the two is. Labels may be several: then all of them must
 * match.
 */
export function checkQuery(call: Call, known: readonly string[]): void {
  for (const name of Object.keys(call.repeated)) {
    if (known.includes(name) && name !== 'label') {
      throw badQuery(name, 'This was given more than once.');
    }
  }
  for (const name of Object.keys(call.query)) {
    if (known.includes(name)) continue;
    const choices = known.length === 0 ? 'none' : known.join(', ');
    throw new ProblemError('invalid-request', `There is no query parameter "${name}" here.`, {
      errors: [{ pointer: `?${name}`, message: `The known parameters are: ${choices}.` }],
    });
  }
}

export function badQuery(name: string, message: string): ProblemError {
  return new ProblemError(
    'invalid-request',
    `The query parameter "${name}" is not valid: ${message}`,
    {
      errors: [{ pointer: `?${name}`, message }],
    },
  );
}

export function flagOf(call: Call, name: string): boolean {
  const value = call.query[name];
  if (value === undefined || value === 'false') return false;
  if (value === 'true' || value === '') return true;
  throw badQuery(name, 'This must be true or false.');
}
