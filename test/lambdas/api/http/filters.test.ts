import { beforeAll, describe, expect, test } from 'vitest';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/**
 * What a list is asked for beyond its pages: several labels, parameters given twice, cursors of
 * another question.
 */
let api: ApiStage;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
});

const submit = async (body: object): Promise<string> =>
  (await api.request('POST', '/v1/jobs', { body })).json.id;
const idsOf = async (query: string): Promise<string[]> =>
  (await api.request('GET', `/v1/jobs?${query}`)).json.items.map((it: { id: string }) => it.id);
const label = (text: string): string => `label=${encodeURIComponent(text)}`;

describe('labels', () => {
  test('of several labels all must match, also when a value holds a comma', async () => {
    const odd = 'a=b, c%&+ä';
    const both = await submit({ labels: { team: 'a', size: 'big', 'k.x/y': odd } });
    const one = await submit({ labels: { team: 'a', size: 'small' } });
    expect(await idsOf(label('team=a'))).toEqual([one, both]);
    expect(await idsOf(`${label('team=a')}&${label('size=big')}`)).toEqual([both]);
    expect(await idsOf(`${label('size=big')}&${label('size=small')}`)).toEqual([]);
    expect(await idsOf(label(`k.x/y=${odd}`))).toEqual([both]);
  });

  test('edges are filtered the same way', async () => {
    for (const [name, size] of Object.entries({ one: 'big', two: 'small' })) {
      const body = { name, capacity: { power: 1 }, labels: { site: 'north', size } };
      expect((await api.request('POST', '/v1/edges', { body })).status).toBe(201);
    }
    const path = `/v1/edges?${label('site=north')}&${label('size=small')}`;
    const { items } = (await api.request('GET', path)).json;
    expect(items.map((it: { name: string }) => it.name)).toEqual(['two']);
  });

  test('any other parameter may be given once', async () => {
    for (const name of ['state', 'pool', 'queue', 'limit', 'cursor']) {
      const answer = await api.request('GET', `/v1/jobs?${name}=5&${name}=5`);
      expect([answer.status, answer.json.errors[0].pointer]).toEqual([400, `?${name}`]);
      expect(answer.json.detail).toContain('more than once');
    }
  });
});

describe('cursors', () => {
  test('one that was given for other filters is refused, another limit is not', async () => {
    for (let at = 0; at < 3; at++) await submit({ labels: { kind: 'cursor' } });
    const asked = `/v1/jobs?${label('kind=cursor')}`;
    const { nextCursor } = (await api.request('GET', `${asked}&limit=1`)).json;
    const next = await api.request('GET', `${asked}&limit=2&cursor=${nextCursor}`);
    expect(next.json.items).toHaveLength(2);
    for (const other of [
      `/v1/jobs?limit=1`,
      `/v1/jobs?${label('kind=other')}`,
      `${asked}&state=pending`,
      `${asked}&${label('team=a')}`,
    ]) {
      const answer = await api.request('GET', `${other}&cursor=${nextCursor}`);
      expect([answer.status, answer.json.code]).toEqual([400, 'invalid-cursor']);
    }
  });

  test('one of another job or another state of chunks is refused', async () => {
    const [a, b] = [await submit({ chunks: 3 }), await submit({ chunks: 3 })];
    const first = await api.request('GET', `/v1/jobs/${a}/chunks?limit=1`);
    const cursor = `cursor=${first.json.nextCursor}`;
    const same = await api.request('GET', `/v1/jobs/${a}/chunks?${cursor}`);
    expect(same.json.items.map((it: { chunk: number }) => it.chunk)).toEqual([1, 2]);
    for (const path of [`/v1/jobs/${b}/chunks?`, `/v1/jobs/${a}/chunks?state=pending&`]) {
      expect((await api.request('GET', `${path}${cursor}`)).json.code).toBe('invalid-cursor');
    }
  });
});

test('a refused parameter says why in the sentence that people read', async () => {
  const { json } = await api.request('GET', '/v1/jobs?limit=0');
  expect(json.detail).toBe(
    'The query parameter "limit" is not valid: This must be a whole number from 1 to 500.',
  );
});
