import { afterAll, beforeAll, expect, test } from 'vitest';
import { readServerSent } from '../../../cli/client/server-sent.ts';
import type { Health } from '../../../core/contract/resources.ts';
import { makeProduct, type Product } from '../product.ts';

/**
 * Two hundred who watch a fleet at which a thousand things happen: each sees all of them, in their
 * order, and none twice, those whose connection is cut off in the middle as well.
 */
const watchers = 200;
const changesMin = 1_000;
/** Jobs: a short one is submitted and done, whatever else is seen of it. */
const jobs = changesMin / 2;
const jobsOfBatch = 100;
/** So many that the work of none is more than its document has room for. */
const edges = 16;
/** Those that are cut off, and after how many events. */
const cutEvery = 5;
const cutAfter = 300;

type Item = { readonly id: string; readonly kind: string; readonly job: string | null };
type Page = { readonly items: readonly Item[]; readonly cursor: string };

let product: Product;
let address: string;
let headers: Record<string, string>;

beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  product.startAgent('edge', '--quiet', '--count', String(edges), '--power', '1000');
  await product.untilConnected(edges);
  const { api, token } = product.place.endpoints()!;
  headers = { authorization: `Bearer ${token}` };
  const health = (await (await fetch(`${api}/v1/health`)).json()) as Health;
  address = health.endpoints!.events;
});
afterAll(() => product.remove());

const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
  const { api } = product.place.endpoints()!;
  const sent = { ...headers, 'content-type': 'application/json' };
  const answer = await fetch(api + path, { ...init, headers: sent });
  expect(answer.ok, `${path}: ${answer.status}`).toBe(true);
  return (await answer.json()) as T;
};

/** Who watches until it has seen the last; it is cut off once where `isCut`. */
class Watcher {
  readonly seen: string[] = [];
  readonly #isCut: boolean;
  readonly #isLast: (item: Item) => boolean;
  cuts = 0;
  lastAtMs = 0;
  #begun: () => void = () => undefined;
  readonly begun = new Promise<void>((resolve) => {
    this.#begun = resolve;
  });

  constructor(isCut: boolean, isLast: (item: Item) => boolean) {
    this.#isCut = isCut;
    this.#isLast = isLast;
  }

  async follow(after: string): Promise<void> {
    let cursor = after;
    while (this.lastAtMs === 0) cursor = await this.#connect(cursor);
  }

  async #connect(after: string): Promise<string> {
    const left = new AbortController();
    const from = { ...headers, 'last-event-id': after };
    const answer = await fetch(address, { headers: from, signal: left.signal });
    expect(answer.status).toBe(200);
    let cursor = after;
    for await (const { id, data } of readServerSent(answer.body!, patience)) {
      this.#begun();
      cursor = id ?? cursor;
      if (data === null) continue;
      const item = JSON.parse(data) as Item;
      this.seen.push(item.id);
      if (this.#isLast(item)) this.lastAtMs = Date.now();
      const isDue = this.#isCut && this.cuts === 0 && this.seen.length >= cutAfter;
      if (isDue) this.cuts += 1;
      if (isDue || this.lastAtMs > 0) break;
    }
    left.abort();
    return cursor;
  }
}

const patience = { first: 60_000, later: 60_000 };

async function everythingSince(cursor: string): Promise<Item[]> {
  const all: Item[] = [];
  for (let at = cursor; ; ) {
    const page: Page = await ask(`/v1/events?after=${at}`);
    if (page.items.length === 0) return all;
    all.push(...page.items);
    at = page.cursor;
  }
}

async function submitAll(): Promise<void> {
  const one = { chunks: 1, run: { simulate: { seconds: 0 } } };
  for (let at = 0; at < jobs; at += jobsOfBatch) {
    const body = JSON.stringify({ jobs: Array.from({ length: jobsOfBatch }, () => one) });
    await ask('/v1/jobs/batch', { method: 'POST', body });
  }
}

async function untilEnded(cursor: string): Promise<void> {
  const ended = new Set<string | null>();
  for (let at = cursor; ended.size < jobs; ) {
    const page: Page = await ask(`/v1/events?kinds=job.done&after=${at}&waitSeconds=20`);
    for (const { job } of page.items) ended.add(job);
    at = page.cursor;
  }
}

const patientMs = 300_000;

test('two hundred see a thousand changes, each in its order', { timeout: patientMs }, async () => {
  const { cursor } = await ask<Page>('/v1/events?after=now');
  let last: string | null = null;
  const isLast = ({ kind, job }: Item) => kind === 'job.done' && job === last;
  const all = Array.from({ length: watchers }, (_, at) => new Watcher(at % cutEvery === 0, isLast));
  const watching = all.map((one) => one.follow(cursor));
  await Promise.all(all.map(({ begun }) => begun));
  await submitAll();
  await untilEnded(cursor);
  last = 'job-of-the-end';
  const run = { simulate: { seconds: 0 } };
  await ask(`/v1/jobs/${last}`, { method: 'PUT', body: JSON.stringify({ chunks: 1, run }) });
  await Promise.all(watching);
  const job = await ask<{ status: { endedAt: string } }>(`/v1/jobs/${last}`);
  const endedAtMs = Date.parse(job.status.endedAt);
  const happened = (await everythingSince(cursor)).map(({ id }) => id);
  expect(happened.length).toBeGreaterThanOrEqual(changesMin);
  for (const { seen } of all) expect(seen).toEqual(happened.slice(0, seen.length));
  expect(all.filter(({ cuts }) => cuts > 0)).toHaveLength(watchers / cutEvery);
  const latencies = all.map(({ lastAtMs }) => lastAtMs - endedAtMs).toSorted((a, b) => a - b);
  const [median, slowest] = [latencies[watchers / 2]!, latencies.at(-1)!];
  process.stdout.write(
    `${watchers} watchers, ${happened.length} changes: the last was seen after ${median} ms ` +
      `by half of them, after ${slowest} ms by all\n`,
  );
});
