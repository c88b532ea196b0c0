import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../core/contract/resources.ts';
import type { Client } from '../cli/client.ts';
import { makeProduct, type Product } from '../product.ts';
import { askApi, killHard, until } from '../start/stage.ts';
import { InstanceWatch, sayingWho } from './live-instances.ts';
import { isReady, runIn } from './two-edges.ts';

/** Services while everything that carries them is killed, at random and all at once. */
const kills = Number(process.env.KILLS ?? 16);
const graceSeconds = 5;
const names = ['one', 'two', 'three', 'four'] as const;

let product: Product;
const agents = new Map<string, Client>();
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  names.forEach(startAgent);
  await product.untilConnected(names.length);
});
afterAll(() => product?.remove());

function startAgent(name: string): void {
  agents.set(name, product.startAgent(name, '--quiet', '--executor', 'process'));
}

/** Its launcher may hold on to what it printed to. */
function isGone(name: string): Promise<unknown> {
  const { process: agent } = agents.get(name)!;
  return until(`${name} is gone`, () => agent.exitCode !== null || agent.signalCode !== null);
}

const startsOf = (service: string): string => join(product.place.directory, `starts-${service}`);

function body(service: string, chunks: number, argv: readonly string[], more: object = {}) {
  const run = { process: { argv, env: { STARTS: startsOf(service) } } };
  const restart = { backoffSeconds: 1, backoffSecondsMax: 2, resetAfterSeconds: 1 };
  const often = { ready: { afterSeconds: 0 }, stopGraceSeconds: 1, restart };
  return { kind: 'service', name: service, chunks, chunkPower: 1, run, ...often, ...more };
}

/** What runs on behalf of one edge; its data directory is on the command line of each. */
function killEdge(name: string, watch: InstanceWatch): void {
  const data = join(product.place.directory, 'agents', name);
  for (const { pid, line } of product.place.pids()) {
    if (line.includes(`${data} `) || line.includes(`${data}/`)) killHard(pid);
  }
  for (const { pid, edge } of watch.live()) if (edge === name) killHard(pid);
}

test(`three replicas are kept through ${kills} kills of processes, agents and edges`, {
  timeout: 60_000 + kills * 10_000,
}, async () => {
  const watch = new InstanceWatch(startsOf('web'));
  const web = body('web', 3, sayingWho('web'), { lostAfterSeconds: graceSeconds });
  const { id } = await product.submit(web);
  await product.jobWhen(id, 'ready', isReady(3));
  watch.start(3);
  let seed = 7;
  const draw = (below: number): number => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed % below;
  };
  const allThere = () =>
    until('each number has one that runs', async () => {
      const now = watch.live().map(({ number }) => number);
      return now.sort().join() === '0,1,2' && isReady(3)(await product.job(id));
    });
  for (let killed = 0; killed < kills; killed++) {
    await delay(draw(400));
    const name = names[draw(names.length)]!;
    const kind = ['process', 'agent', 'process', 'edge'][killed % 4]!;
    if (kind === 'process') {
      const live = watch.live();
      if (live.length > 0) killHard(live[draw(live.length)]!.pid);
    } else if (kind === 'agent') {
      agents.get(name)!.process.kill('SIGKILL');
      await isGone(name);
      startAgent(name);
    } else {
      killEdge(name, watch);
      await isGone(name);
      // Now and then it stays away until others run what it ran.
      if (killed % 8 === 7) await allThere();
      startAgent(name);
    }
    if (killed % 4 === 3) await allThere();
  }
  await allThere();
  watch.stop();
  expect([...watch.numbers].sort()).toEqual([0, 1, 2]);
  expect(watch.longestDoubledMs).toBeLessThan(graceSeconds * 1_000);
  const { status } = await product.job(id);
  expect(status.service?.restarts).toBeGreaterThan(kills / 4);
  expect(await runIn(product, ['service', 'delete', id, '--yes'])).toMatchObject({ code: 0 });
  await product.jobWhen(id, 'cancelled', ({ status: it }) => it.state === 'cancelled');
  await until('nothing of it runs', () => watch.live().length === 0);
});

test('fifty come to another generation through a kill of everything, never more than five away', {
  timeout: 240_000,
}, async () => {
  const watch = new InstanceWatch(startsOf('many'));
  const update = { maxUnavailable: 5, minReadySeconds: 1, failAfterSeconds: 60 };
  const spec = (argv: readonly string[]) => body('many', 50, argv, { update });
  const { id } = await product.submit(spec(sayingWho('old')));
  await product.jobWhen(id, 'ready', isReady(50));
  const count = (word: string): number => watch.live().filter((it) => it.word === word).length;
  const put = (argv: readonly string[]) =>
    askApi<Job>(product.place, `/v1/jobs/${id}`, {
      method: 'PUT',
      body: JSON.stringify(spec(argv)),
    });

  watch.start(50);
  expect(await put(sayingWho('new'))).toMatchObject({ generation: 2 });
  await until('some of them are new', () => count('new') >= 15);
  watch.stop();
  expect(count('old')).toBeGreaterThan(0);
  for (const { pid } of product.place.pids()) killHard(pid);
  for (const { pid } of watch.live()) killHard(pid);
  await Promise.all(names.map(isGone));
  await product.startCloud();
  names.forEach(startAgent);
  await until('all are there again', () => watch.live().length === 50);
  watch.start(50);
  const after = await product.jobWhen(id, 'rolled out', ({ status: { service } }) => {
    return service?.generation === 2 && service.rollout !== 'moving' && service.ready === 50;
  });
  expect(after.status.service).toMatchObject({ rollout: 'done', updated: 50 });
  expect(count('new')).toBe(50);

  const good = new Set(watch.live().map(({ pid }) => pid));
  const bad = ['sh', '-c', 'echo there is no such image >&2; exit 125'];
  expect(await put(bad)).toMatchObject({ generation: 3 });
  const back = await product.jobWhen(id, 'rolled back', ({ status: { service } }) => {
    return service?.rollout === 'rolled-back' && service.ready === 50;
  });
  watch.stop();
  expect(back.status.service?.rolloutReason).toMatch(/ended: exit code 125$/);
  expect(count('new')).toBe(50);
  expect(watch.live().filter(({ pid }) => good.has(pid)).length).toBeGreaterThanOrEqual(45);
  expect(watch.mostAway).toBeLessThanOrEqual(5);
  const failed = /^instance (\d+) /.exec(back.status.service!.rolloutReason!)![1]!;
  await until('what the failing one wrote is kept', async () => {
    const { out } = await runIn(product, ['job', 'logs', id, failed]);
    return out.includes('there is no such image');
  });
});
