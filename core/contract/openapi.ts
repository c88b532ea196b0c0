import * as z from 'zod';
import { listLimitDefault, listLimitMax } from '../model/limits.ts';
import { type Operation, operations, type RequestHeader } from './operations.ts';
import { type ProblemCode, problemSchema, problemTable } from './problem.ts';
import { type Route, routes } from './routes.ts';

/**
 * The OpenAPI 3.1 document, made from the table of routes and the schemas that validate. Bodies are
 * described as they are sent, with what may be left out; answers as they come back, with what is
 * always there.
 */
export type Json = Readonly<Record<string, unknown>>;

export function openApiDocument(version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const operation = operations[route.operation];
    if (operation === undefined) throw new Error(`${route.operation} is not described`);
    const path = paths[route.path] ?? {};
    path[route.method.toLowerCase()] = operationOf(route, operation);
    paths[route.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Edgewise',
      version,
      description: 'Submit jobs to a fleet of edges and follow them.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operationOf(route: Route, operation: Operation): Json {
  const { access } = route;
  const parameters = [
    ...pathParameters(route),
    ...Object.entries(operation.query ?? {}).map(([name, description]) => ({
      name,
      in: 'query',
      description,
      schema: querySchemas[name] ?? { type: 'string' },
    })),
    ...(operation.headers ?? []).map(headerParameter),
  ];
  const scope = access?.scope ?? null;
  return {
    operationId: route.operation,
    summary: operation.summary,
    tags: [operation.tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(operation),
    responses: responsesOf(route, operation),
    security: access === null ? [] : [{ token: [] }],
    ...(scope === null ? {} : { 'x-scope': scope }),
    ...(access?.edge === true ? { 'x-edge': true } : {}),
  };
}

/** Parameters that are no plain text; a list is sent as the same parameter several times. */
const querySchemas: Readonly<Record<string, Json>> = {
  limit: { type: 'integer', minimum: 1, maximum: listLimitMax, default: listLimitDefault },
  label: { type: 'array', items: { type: 'string' } },
  purge: { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
};

function pathParameters(route: Route): Json[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => ({
    name: match[1],
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

const headerTexts: Readonly<Record<RequestHeader, string>> = {
  'idempotency-key': 'The same key and body get the first answer again.',
  'if-match': 'Only if it has not changed since this ETag was given.',
  'if-none-match': 'An ETag to read only what is new; * to create and never overwrite.',
};

function headerParameter(name: RequestHeader): Json {
  return { name, in: 'header', description: headerTexts[name], schema: { type: 'string' } };
}

function requestBody({ body }: Operation): Json {
  if (body === undefined) return {};
  if ('mediaTypes' in body) {
    const schemaOf = (type: string) => ({ type: type.endsWith('json') ? 'object' : 'string' });
    const content = Object.fromEntries(
      body.mediaTypes.map((type) => [type, { schema: schemaOf(type) }]),
    );
    return { requestBody: { required: true, description: body.description, content } };
  }
  const content = { 'application/json': { schema: referenceTo(body.schema, 'input') } };
  return { requestBody: { required: body.optional !== true, content } };
}

function responsesOf(route: Route, operation: Operation): Json {
  const responses: Record<string, Json> = {};
  for (const [status, answer] of Object.entries(operation.answers)) {
    responses[status] = { ...answerOf(Number(status), answer), ...answerHeaders(operation) };
  }
  const codes: ProblemCode[] = [
    ...(route.access === null ? [] : (['unauthenticated', 'forbidden'] as const)),
    ...(operation.problems ?? []),
  ];
  for (const [status, names] of Map.groupBy(codes, (code) => problemTable[code][0])) {
    responses[String(status)] = problemAnswer(names.join(', '));
  }
  responses.default = problemAnswer('any other problem');
  return responses;
}

/** What can be asked for by its version carries it; what is created says where it is. */
function answerHeaders({ headers = [] }: Operation): Json {
  const described = (description: string) => ({ description, schema: { type: 'string' } });
  const tag = headers.some((name) => name !== 'idempotency-key');
  const named = {
    ...(tag ? { ETag: described('The version of what is answered.') } : {}),
    ...(headers.includes('idempotency-key')
      ? { Location: described('Where what was created is.') }
      : {}),
  };
  return Object.keys(named).length === 0 ? {} : { headers: named };
}

function answerOf(status: number, answer: z.ZodType | string | null): Json {
  const description = answerTexts[status] ?? 'Done.';
  if (answer === null) return { description };
  if (typeof answer === 'string') {
    return { description, content: { [answer]: { schema: { type: 'string' } } } };
  }
  const schema = referenceTo(answer, 'output');
  return { description, content: { 'application/json': { schema } } };
}

const answerTexts: Readonly<Record<number, string>> = {
  200: 'As asked.',
  201: 'Created.',
  202: 'Accepted; the rest happens behind it.',
  204: 'Done; the answer has no body.',
  304: 'Not modified since this ETag.',
};

function problemAnswer(description: string): Json {
  const schema = referenceTo(problemSchema, 'output');
  return { description, content: { 'application/problem+json': { schema } } };
}

type Direction = 'input' | 'output';

/**
 * What is both sent and answered has two forms: a default makes a field optional one way and
 * certain the other.
 */
const bothWays = new Set(['Run']);

function nameOf(id: string, direction: Direction): string {
  return direction === 'output' && bothWays.has(id) ? `${id}Answer` : id;
}

function referenceTo(schema: z.ZodType, direction: Direction): Json {
  const id = z.globalRegistry.get(schema)?.id;
  if (id === undefined) throw new Error('a body or answer has no name');
  return { $ref: `#/components/schemas/${nameOf(id, direction)}` };
}

function componentSchemas(): Json {
  const schemas: Record<string, Json> = {};
  for (const direction of ['input', 'output'] as const) {
    const made = z.toJSONSchema(z.globalRegistry, {
      target: 'draft-2020-12',
      io: direction,
      unrepresentable: 'any',
      uri: (id) => `#/components/schemas/${nameOf(id, direction)}`,
    });
    for (const [id, schema] of Object.entries(made.schemas)) {
      const { $schema: _, $id: __, id: ___, ...rest } = schema as Record<string, unknown>;
      const used = direction === 'input' ? bodyNames() : null;
      if (used === null ? !bodyNames().has(id) || bothWays.has(id) : used.has(id)) {
        schemas[nameOf(id, direction)] = rest;
      }
    }
  }
  return schemas;
}

/** Names of schemas that describe what is sent, with the parts they are made of. */
function bodyNames(): ReadonlySet<string> {
  const names = new Set(['Run', 'Fact']);
  for (const { body } of Object.values(operations)) {
    if (body === undefined || !('schema' in body)) continue;
    const id = z.globalRegistry.get(body.schema)?.id;
    if (id !== undefined) names.add(id);
  }
  return names;
}
