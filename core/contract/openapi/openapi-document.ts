import * as z from 'zod';
import { describeFields } from '../fields/describe-fields.ts';
import type { Operation } from '../operation.ts';
import { operations } from '../operations.ts';
import { headerParameters, pathParameters, queryParameters } from '../parameters.ts';
import { type ProblemCode, problemTable } from '../problem.ts';
import { type Route, routes } from '../routes.ts';
import { gatewayRefusalSchema, problemSchema } from './problem-schema.ts';

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
    const address = route.path.replace('+}', '}');
    const path = paths[address] ?? {};
    path[route.method.toLowerCase()] = operationOf(route, operation);
    paths[address] = path;
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
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: referredTo(paths),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

const tags: Readonly<Record<Operation['tag'], string>> = {
  jobs: 'Work that is submitted, and what became of it.',
  files: 'Files that jobs need, and files that they leave.',
  edges: 'The machines that run jobs.',
  fleet: 'Pools, queues and figures.',
  tokens: 'Who may do what, and who did.',
  graph: 'The same as one graph.',
  about: 'The API itself.',
};

function operationOf(route: Route, operation: Operation): Json {
  const { access } = route;
  const parameters = [
    ...pathParameters(route),
    ...queryParameters(operation.query ?? {}),
    ...headerParameters(operation.headers ?? []),
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

/** What the gateway answers in the place of our functions, in its own form. */
const fromGateway = ['429', 'default'];

function responsesOf(route: Route, operation: Operation): Json {
  const responses: Record<string, Json> = {};
  for (const [status, answer] of Object.entries(operation.answers)) {
    const headers = answerHeaders(Number(status), operation);
    responses[status] = { ...answerOf(Number(status), answer), ...headers };
  }
  const codes: ProblemCode[] = [
    ...(route.access === null ? [] : (['unauthenticated', 'forbidden'] as const)),
    ...(operation.problems ?? []),
  ];
  for (const [status, names] of Map.groupBy(codes, (code) => problemTable[code][0])) {
    const problem = problemAnswer(names.join(', '));
    const refusal = operation.refusals?.[status];
    responses[String(status)] = refusal === undefined ? problem : alsoAs(refusal, problem);
  }
  for (const status of fromGateway) {
    const description = status === '429' ? 'too-many-requests' : 'any other problem';
    responses[status] = alsoAs(gatewayRefusalSchema, problemAnswer(description));
  }
  return responses;
}

/** What can be asked for by its version carries it; what is created says where it is. */
function answerHeaders(status: number, { headers = [] }: Operation): Json {
  const described = (description: string) => ({ description, schema: { type: 'string' } });
  const tag = headers.some((name) => name !== 'idempotency-key');
  const named = {
    ...(tag ? { ETag: described('The version of what is answered.') } : {}),
    ...(headers.includes('idempotency-key')
      ? { Location: described('Where what was created is.') }
      : {}),
    ...(status === 302 ? { Location: described('Where it can be read, for an hour.') } : {}),
    ...(status === 307 ? { Location: described('Where it is streamed.') } : {}),
  };
  return Object.keys(named).length === 0 ? {} : { headers: named };
}

function answerOf(status: number, answer: z.ZodType | string | null): Json {
  const description = answerTexts[status] ?? 'Done.';
  if (answer === null) return { description };
  if (typeof answer === 'string') {
    const type = answer.endsWith('/json') ? 'object' : 'string';
    return { description, content: { [answer]: { schema: { type } } } };
  }
  const schema = referenceTo(answer, 'output');
  return { description, content: { 'application/json': { schema } } };
}

const answerTexts: Readonly<Record<number, string>> = {
  200: 'As asked.',
  201: 'Created.',
  302: 'It is at the address of the header Location, for an hour.',
  307: 'It is streamed at the address of the header Location, to who asks there again.',
  202: 'Accepted; the rest happens behind it.',
  204: 'Done; the answer has no body.',
  304: 'Not modified since this ETag.',
};

function problemAnswer(description: string): Json {
  const schema = referenceTo(problemSchema, 'output');
  return { description, content: { 'application/problem+json': { schema } } };
}

function alsoAs(refusal: z.ZodType, { description, content }: Json): Json {
  const schema = referenceTo(refusal, 'output');
  return { description, content: { ...(content as Json), 'application/json': { schema } } };
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

/** Of all schemas those to which a path of references leads. */
function referredTo(paths: Json): Json {
  const all = new Map(Object.entries(componentSchemas()));
  const used = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/#\/components\/schemas\/([^"]+)/g)) {
      if (used.has(name)) continue;
      used.add(name);
      follow(all.get(name) ?? null);
    }
  };
  follow(paths);
  // By name, because modules are read in no particular order.
  const names = [...used].sort();
  return Object.fromEntries(names.map((name) => [name, all.get(name)]));
}

/** Generators lose what contains itself, with all that refers to it: below, words must do. */
const withoutItself: Readonly<Record<string, Json>> = {
  Fact: {
    description: 'A text, a number, true or false, or an object of facts.',
    anyOf: [
      { type: 'string', maxLength: 1024 },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'object', additionalProperties: true },
    ],
  },
};

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
        schemas[nameOf(id, direction)] = withoutItself[id] ?? rest;
      }
    }
  }
  return describeFields(schemas);
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
