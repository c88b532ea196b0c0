import { expect } from 'vitest';
import { sample } from '../../core/graph/graph-fixture.ts';
import type { Product } from '../product.ts';

/** A cluster as programs of its owner run it: over HTTP, with its own credentials. */

// biome-ignore lint/suspicious/noExplicitAny: answers of an API, read as a program elsewhere would.
export type Said = { readonly status: number; readonly json: any };
export type Ask = (token: string, method: string, path: string, body?: unknown) => Promise<Said>;

/** Asks whatever control plane runs at that moment. */
export function askOf(product: Product): Ask {
  return async (token, method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const { api } = product.place.endpoints()!;
    const answer = await fetch(`${api}${path}`, { method, headers, ...init });
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? null : JSON.parse(text) };
  };
}

const counts = { cluster: 1, rack: 1, node: 3, socket: 3, core: 36 };

/** What the owner of a cluster keeps: its name, its two credentials, what it has accepted. */
export class Cluster {
  readonly accepted: string[] = [];
  readonly submitToken: string;
  readonly #name: string;
  readonly #secret: string;
  readonly #ask: Ask;
  #reports = 0;

  constructor(ask: Ask, name: string, said: { secret: string; submitToken: string }) {
    this.#ask = ask;
    this.#name = name;
    this.#secret = said.secret;
    this.submitToken = said.submitToken;
  }

  static async register(ask: Ask, name: string, enrolToken: string): Promise<Cluster> {
    const body = { name, pool: 'hpc', mode: 'pull', nodes: sample('cluster-nodes') };
    const { status, json } = await ask(enrolToken, 'POST', '/v1/edges', body);
    expect([status, json.edge?.graph.counts], JSON.stringify(json)).toEqual([201, counts]);
    return new Cluster(ask, name, json);
  }

  ask(method: string, path: string, body?: unknown): Promise<Said> {
    return this.#ask(this.#secret, method, `/v1/edges/${this.#name}${path}`, body);
  }

  async offered(query = ''): Promise<string[]> {
    const { json } = await this.ask('GET', `/offers${query}`);
    return json.items.map(({ id }: { id: string }) => id);
  }

  /** What it got of that; others may have been faster again and again. */
  async accept(jobs: readonly string[]): Promise<void> {
    const { status, json } = await this.ask('POST', '/accept', { jobs });
    if (status === 503) return;
    expect(status, JSON.stringify(json)).toBe(200);
    this.accepted.push(...json.accepted);
  }

  /** One of several programs that poll for it: takes what is offered until nothing is. */
  async drain(): Promise<void> {
    for (let jobs = await this.offered(); jobs.length > 0; jobs = await this.offered()) {
      await this.accept(jobs);
    }
  }

  /** The same, and does what it took, so that there is room in its work document for more. */
  async drainAndFinish(): Promise<void> {
    for (let jobs = await this.offered(); jobs.length > 0; jobs = await this.offered()) {
      await this.accept(jobs);
      await this.finish();
    }
  }

  /** Says of all that its work document names that it is done; those are the names. */
  async finish(): Promise<string[]> {
    const { json: work } = await this.ask('GET', '/work');
    const jobs = Object.entries<{ r: string }>(work.w);
    const w = Object.fromEntries(jobs.map(([id, { r }]) => [id, { d: r }]));
    const report = { b: 'boot', e: work.e, n: ++this.#reports, f: 36, i: 5, w };
    expect((await this.ask('POST', '/report', report)).status).toBe(202);
    return Object.keys(w);
  }
}
