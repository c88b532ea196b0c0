import { expect, test } from 'vitest';
import { createMemoryStores } from '../../../memory/stores.ts';
import { createApiStage } from '../api-stage.ts';

/** A service that is to be the only one of its name in its pool. */
const web = { kind: 'service', name: 'web', run: { simulate: {} } };
const only = { ...web, uniqueName: true };

function stage() {
  const api = createApiStage(createMemoryStores());
  const submit = (body: object, headers: Record<string, string> = {}) =>
    api.request('POST', '/v1/jobs', { body, headers });
  return { api, submit };
}

test('a name is taken while a service of it lives, whether that one asked for it or not', async () => {
  const { api, submit } = stage();
  const first = await submit(web);
  expect(first.status).toBe(202);
  const refused = await submit(only);
  expect(refused).toMatchObject({ status: 409, json: { code: 'name-taken' } });
  expect(refused.json.detail).toContain(first.json.id);
  expect((await submit({ ...only, name: 'web2' })).status).toBe(202);
  expect((await submit({ ...only, pool: 'other' })).status).toBe(202);
  // Jobs that end are no services, and who does not ask is refused nothing.
  expect((await submit({ name: 'mine', power: 1 })).status).toBe(202);
  expect((await submit({ ...only, name: 'mine' })).status).toBe(202);
  expect((await submit({ ...web, name: 'mine' })).status).toBe(202);
  await api.request('DELETE', `/v1/jobs/${first.json.id}`);
});

test('of two that are sent at once one is stored, and both get their answer again', async () => {
  const { submit } = stage();
  const keys = ['one', 'two'];
  const both = () => Promise.all(keys.map((key) => submit(only, { 'idempotency-key': key })));
  const answers = await both();
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
  const again = await both();
  expect(again.map(({ status, json }) => [status, json.id])).toEqual(
    answers.map(({ status, json }) => [status, json.id]),
  );
});

test('a PUT under a new id asks for the name as well, and the same again is the same', async () => {
  const { api } = stage();
  const put = (id: string) => api.request('PUT', `/v1/jobs/${id}`, { body: only });
  expect((await put('web-1')).status).toBe(202);
  expect(await put('web-2')).toMatchObject({ status: 409, json: { code: 'name-taken' } });
  expect((await put('web-1')).status).toBe(200);
});

test.each([
  ['a batch job', { power: 1, name: 'web', uniqueName: true }],
  ['a service without a name', { ...only, name: null }],
])('%s cannot be the only one', async (_, body) => {
  const { api, submit } = stage();
  const refused = await submit(body);
  expect(refused).toMatchObject({ status: 400, json: { errors: [{ pointer: '/uniqueName' }] } });
  const batch = await api.request('POST', '/v1/jobs/batch', { body: { jobs: [web, only] } });
  expect(batch).toMatchObject({
    status: 400,
    json: { errors: [{ pointer: '/jobs/1/uniqueName' }] },
  });
});
