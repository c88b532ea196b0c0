import { expect, test } from 'vitest';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** Two clusters take from the same two hundred offers as fast as they can, round after round. */

const offersCount = 200;
const rounds = 20;
const names = ['keebler', 'oreo'];

class Poller {
  readonly accepted: string[] = [];
  readonly #held = new Set<string>();
  #reports = 0;
  readonly #api: ApiStage;
  readonly #name: string;
  readonly #token: string;

  constructor(api: ApiStage, name: string, token: string) {
    this.#api = api;
    this.#name = name;
    this.#token = token;
  }

  async #ask(method: string, path: string, body?: unknown) {
    const request = { token: this.#token, ...(body === undefined ? {} : { body }) };
    return this.#api.request(method, `/v1/edges/${this.#name}${path}`, request);
  }

  /** Takes some of what is offered; says of what it holds that it is done. */
  async turn(): Promise<number> {
    const offered = (await this.#ask('GET', '/offers?max=30')).json;
    const jobs = offered.items.map((it: { id: string }) => it.id);
    if (jobs.length > 0) {
      const answer = await this.#ask('POST', '/accept', { jobs });
      for (const id of answer.json.accepted ?? []) {
        this.accepted.push(id);
        this.#held.add(id);
      }
    }
    const { e } = (await this.#ask('GET', '/work')).json;
    const w = Object.fromEntries([...this.#held].map((id) => [id, { d: '0' }]));
    await this.#ask('POST', '/report', { b: 'boot', e, n: ++this.#reports, f: 1, w });
    this.#held.clear();
    await this.#api.settle();
    return offered.total;
  }
}

test(`of ${offersCount} offers each goes to one, in ${rounds} rounds`, async () => {
  const api = createApiStage(createMemoryStores());
  const pollers: Poller[] = [];
  for (const name of names) {
    const body = { name, mode: 'pull', capacity: { power: 1_000 } };
    const { secret } = (await api.request('POST', '/v1/edges', { body })).json;
    pollers.push(new Poller(api, name, secret));
  }
  for (const poller of pollers) await poller.turn();
  for (let round = 0; round < rounds; round++) {
    const ids: string[] = [];
    for (let i = 0; i < offersCount; i++) {
      const body = { chunks: 1, chunkPower: 1, requires: { edges: names } };
      ids.push((await api.request('POST', '/v1/jobs', { body })).json.id);
    }
    for (const poller of pollers) poller.accepted.length = 0;
    const drain = async (poller: Poller) => {
      for (let turns = 0; turns < offersCount; turns++) if ((await poller.turn()) === 0) return;
    };
    await Promise.all(pollers.map(drain));
    await api.settle();
    const taken = pollers.flatMap((poller) => poller.accepted);
    expect([...taken].sort(), `round ${round}`).toEqual([...ids].sort());
  }
}, 600_000);
