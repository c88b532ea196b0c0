import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SubmissionAnswer } from '../../../core/contract/jobspec/jobspec-answer.ts';
import { askApi, until } from '../start/stage.ts';
import { node, ThreeClusters } from './three-stage.ts';

/**
 * Three clusters in the middle of a jobspec each, and everything is killed: the control plane, the
 * agents, and what they run. Started again, all of it comes to its end as if nothing had been.
 */
let three: ThreeClusters;
beforeAll(async () => {
  three = await ThreeClusters.start();
}, 360_000);
afterAll(() => three.remove());

const linesOf = (name: string): string[] =>
  existsSync(three.at(name)) ? readFileSync(three.at(name), 'utf8').trim().split('\n') : [];
/** Says that it has begun, and goes on when it is let. */
const waiting = (name: string): string =>
  `echo begun >> "${three.at(name)}"; while [ ! -e "${three.at('gate')}" ]; do sleep 0.1; done`;

async function submit(name: string, jobspec: object): Promise<string> {
  const body = JSON.stringify({ jobspec: { version: 1, name, ...jobspec } });
  const init = { method: 'POST', body };
  const answer = await askApi<SubmissionAnswer>(three.product.place, '/v1/jobspecs?pool=hpc', init);
  expect(answer.id, JSON.stringify(answer)).toBeDefined();
  return answer.id;
}
const read = (id: string) => askApi<SubmissionAnswer>(three.product.place, `/v1/jobspecs/${id}`);

async function done(id: string): Promise<SubmissionAnswer> {
  const isOver = async () => {
    const found = await read(id);
    return ['done', 'failed', 'cancelled'].includes(found.status?.state) ? found : null;
  };
  const found = await until(`${id} is over`, isOver, 240_000).catch(async (error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(await read(id))}\n${three.text()}`);
  });
  expect(found.status, JSON.stringify(found)).toMatchObject({ state: 'done', percent: 100 });
  return found;
}

function submitToBox(): Promise<string> {
  const requires = [{ name: 'spack', field: 'version' }];
  const counted = { resources: 'part', command: three.counting('box.count') };
  return submit('box', {
    resources: { room: node(2, { requires }), part: node(1) },
    tasks: [
      { name: 'before', resources: 'part', command: `echo once >> "${three.at('before')}"` },
      { group: 'all', depends_on: ['before'] },
      {
        name: 'after',
        resources: 'part',
        depends_on: ['all'],
        command: 'echo after',
        watch: true,
      },
    ],
    groups: [
      {
        name: 'all',
        resources: 'room',
        tasks: [
          { name: 'wait', command: waiting('box.begun'), local: true },
          { name: 'count', replicas: 5, ...counted },
          { group: 'inner', depends_on: ['count'] },
        ],
        groups: [{ name: 'inner', resources: 'part', tasks: [{ name: 'last', ...counted }] }],
      },
    ],
  });
}

function submitToKeebler(): Promise<string> {
  const gpu = node(1, { with: [{ type: 'gpu', count: 1 }] });
  return submit('keebler', {
    attributes: { watch: true },
    resources: { gpu },
    tasks: [
      {
        name: 'train',
        resources: 'gpu',
        replicas: 4,
        command: `${waiting('keebler.begun')}; echo trained $EDGEWISE_CHUNK`,
      },
      { name: 'test', resources: 'gpu', depends_on: ['train'], command: 'echo tested' },
    ],
  });
}

function submitToTower(): Promise<string> {
  const room = { type: 'node', count: 2, with: [{ type: 'core', count: 2 }] };
  const count = { name: 'count', resources: 'part', command: three.counting('tower.count') };
  return submit('tower', {
    resources: { room, part: node(1) },
    groups: [
      {
        name: 'both',
        resources: 'room',
        tasks: [
          { name: 'wait', command: waiting('tower.begun'), local: true },
          { ...count, replicas: 6 },
        ],
      },
    ],
  });
}

test('a jobspec on each of three clusters goes on after a kill of everything', async () => {
  const box = await submitToBox();
  const keebler = await submitToKeebler();
  const tower = three.noSlurm === null ? await submitToTower() : null;
  if (three.noSlurm !== null) console.log(`without Slurm: ${three.noSlurm}`);
  await until('each is in the middle', () => {
    const begun = ['box', 'keebler', ...(tower === null ? [] : ['tower'])];
    return begun.every((name) => linesOf(`${name}.begun`).length > 0);
  });
  await three.killEverything();
  // What ran is run again, and counted anew.
  for (const name of ['box', 'tower']) rmSync(three.at(`${name}.count`), { force: true });
  await three.startAgain();
  writeFileSync(three.at('gate'), '');

  const onBox = await done(box);
  expect([onBox.cluster, linesOf('before')]).toEqual(['box', ['once']]);
  expect(onBox.groups).toMatchObject([
    { group: 'all', state: 'done', edge: 'box' },
    { group: 'all/inner', parent: 'all', state: 'done' },
  ]);
  expect(three.mostAtOnce('box.count')).toEqual({ most: 2, runs: 6 });
  const after = onBox.jobs.find(({ task }) => task === 'after')!;
  expect((await three.cli('logs', after.job, '0')).out).toBe('after\n');

  const onKeebler = await done(keebler);
  expect(onKeebler.cluster).toBe('keebler');
  const [train, tested] = onKeebler.jobs;
  for (const run of [0, 1, 2, 3]) {
    expect((await three.cli('logs', train!.job, String(run))).out).toBe(`trained ${run}\n`);
  }
  expect((await three.cli('logs', tested!.job, '0')).out).toBe('tested\n');

  if (tower === null) return;
  expect((await done(tower)).cluster).toBe('tower');
  const { most, runs } = three.mostAtOnce('tower.count');
  expect([most <= 4, runs]).toEqual([true, 6]);
}, 480_000);
