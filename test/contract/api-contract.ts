import { beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { openApiDocument } from '../../core/contract/openapi/openapi-document.ts';
import { problemSchema } from '../../core/contract/openapi/problem-schema.ts';
import { operations } from '../../core/contract/operations.ts';
import { routes } from '../../core/contract/routes.ts';
import { type ApiAnswer, type ApiStage, createApiStage } from '../lambdas/api/api-stage.ts';
import { failure, prepareThings, successes, type Things } from './api-recipes.ts';
import type { Stores } from './stored-ports.ts';

/**
 * Generated from the OpenAPI document: every operation, every status it documents, every answer
 * against its schema, on every store.
 */
type Documented = { responses: Record<string, unknown>; operationId: string };

export const apiDocument = openApiDocument('test') as {
  paths: Record<string, Record<string, Documented>>;
};

export const documented = Object.values(apiDocument.paths).flatMap((methods) =>
  Object.values(methods),
);

/** What can be answered by whoever stands before the API, or at any time. */
const byOthers: ReadonlySet<string> = new Set(['429', 'default']);

const byOperation = new Map(routes.map((route) => [route.operation, route]));

export function everyOperation(makeStores: () => Promise<Stores>): void {
  let api: ApiStage;
  let things: Things;
  beforeAll(async () => {
    api = createApiStage(await makeStores());
    things = await prepareThings(api);
  });

  const succeed = (name: string, status: number) => {
    const make = successes[name]?.[status];
    if (make === undefined) throw new Error(`no recipe brings about ${status} of ${name}`);
    return make(things, api);
  };
  const fail = (name: string, status: number) =>
    failure(byOperation.get(name)!, status, things, api);

  describe.each(documented.map((it) => [it.operationId, it] as const))('%s', (name, operation) => {
    const statuses = Object.keys(operation.responses).filter((status) => !byOthers.has(status));
    test.each(statuses.map(Number))('%i', async (status) => {
      const isSuccess = status < 400;
      const answer = isSuccess ? await succeed(name, status) : await fail(name, status);
      expect(answer.status, answer.text).toBe(status);
      const schema = isSuccess ? operations[name]?.answers[status] : problemSchema;
      checkAnswer(answer, schema ?? null);
    });
  });
}

function checkAnswer(answer: ApiAnswer, schema: z.ZodType | string | null): void {
  expect(answer.headers['x-request-id']).toBeTruthy();
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  expect(answer.headers['content-security-policy']).toBeTruthy();
  const type = answer.headers['content-type'] ?? '';
  if (schema === null || answer.route?.method === 'HEAD') {
    expect(answer.text).toBe('');
  } else if (typeof schema === 'string') {
    expect(type).toContain(schema.replace('*', ''));
  } else {
    expect(type).toContain(answer.status < 400 ? 'application/json' : 'application/problem+json');
    const checked = schema.safeParse(answer.json);
    expect(checked.error?.issues ?? [], answer.text.slice(0, 500)).toEqual([]);
    if (answer.status >= 400) expect(answer.json.status).toBe(answer.status);
  }
}
