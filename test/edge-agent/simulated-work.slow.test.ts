import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningAgent, startAgent } from './agent-runner.ts';
import { AgentStage } from './agent-stage.ts';

let stage: AgentStage;
let controlPlane: AgentStage['controlPlane'];
beforeEach(async () => {
  stage = await AgentStage.open();
  controlPlane = stage.controlPlane;
});
afterEach(() => stage.close());

const quickJob = { chunks: 40, chunkPower: 1, run: { simulate: { seconds: 0.01 } } };

test('an edge enrols, runs what it is granted and reports it once', async () => {
  controlPlane.addJob('job-a', quickJob);
  stage.start();
  controlPlane.grant('edge-1', 'job-a', '0-39', 8);
  await controlPlane.until(
    () => controlPlane.jobs.get('job-a')!.done.size === 40,
    'all chunks done',
  );
  expect(controlPlane.jobs.get('job-a')!.failed.size).toBe(0);
  await controlPlane.until(() => controlPlane.facts.has('edge-1'), 'facts reported');
  expect(controlPlane.facts.get('edge-1')).toMatchObject({ capacity: { power: 250 } });
});

test('several edges in one process are numbered and each does its own', async () => {
  controlPlane.addJob('job-a', { ...quickJob, chunks: 30 });
  const names = ['fleet-0', 'fleet-1', 'fleet-2'];
  stage.start({ names });
  names.forEach((name, index) => {
    controlPlane.grant(name, 'job-a', `${index * 10}-${index * 10 + 9}`, 4);
  });
  await controlPlane.until(
    () => controlPlane.jobs.get('job-a')!.done.size === 30,
    'all chunks done',
  );
});

test.each(['mqtt', 'http'] as const)(
  'over %s a control plane restored to an earlier epoch learns the newer one, and is obeyed',
  async (transport) => {
    controlPlane.addJob('job-a', { ...quickJob, chunks: 20 });
    stage.start({ transport });
    for (const chunk of [0, 1, 2]) {
      controlPlane.grant('edge-1', 'job-a', `${chunk}`, 1);
      await controlPlane.until(
        () => controlPlane.jobs.get('job-a')!.done.has(chunk),
        'some epochs pass',
      );
    }
    controlPlane.restoreTo('edge-1', 1);
    controlPlane.grant('edge-1', 'job-a', '3-19', 4);
    await controlPlane.until(
      () => controlPlane.jobs.get('job-a')!.done.size === 20,
      'the work after it',
    );
  },
);

test('a restart under the same name goes on with its identity and its results', async () => {
  controlPlane.addJob('job-a', { ...quickJob, chunks: 20 });
  const first = stage.start();
  controlPlane.grant('edge-1', 'job-a', '0-9', 2);
  await controlPlane.until(
    () => controlPlane.jobs.get('job-a')!.done.size === 10,
    'the first half',
  );
  await first.stop();
  controlPlane.grant('edge-1', 'job-a', '10-19', 2);
  stage.start({ enrolToken: null });
  await controlPlane.until(
    () => controlPlane.jobs.get('job-a')!.done.size === 20,
    'the second half',
  );
  expect(controlPlane.requests.filter((line) => line === 'POST /v1/edges')).toHaveLength(1);
});

test('started with another pool an edge says in which it is, and works on there', async () => {
  controlPlane.addJob('job-a', quickJob);
  await (await startIn('north')).stop();
  const second = await startIn('south');
  controlPlane.grant('edge-1', 'job-a', '0-39', 8);
  const { done } = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(() => done.size === 40, 'all chunks done');
  const about = (agent: RunningAgent) => agent.lines.filter((line) => line.includes('pool'));
  expect(about(second)).toHaveLength(1);
  expect(about(second)[0]).toMatch(/^edge-1: enrolled in pool north, not south, and no/);
  await second.stop();
  expect(about(await startIn('north'))).toEqual([]);

  async function startIn(pool: string): Promise<RunningAgent> {
    controlPlane.facts.clear();
    const agent = stage.start({ pool });
    await controlPlane.until(() => controlPlane.facts.has('edge-1'), 'enrolled and connected');
    return agent;
  }
});

test('over HTTP the same work is done', async () => {
  controlPlane.addJob('job-a', quickJob);
  stage.start({ transport: 'http' });
  controlPlane.grant('edge-1', 'job-a', '0-39', 8);
  await controlPlane.until(
    () => controlPlane.jobs.get('job-a')!.done.size === 40,
    'all chunks done',
  );
  await controlPlane.until(() => controlPlane.facts.has('edge-1'), 'facts reported');
  expect(controlPlane.shadows.updates).toHaveLength(0);
});

test('a second agent on the same directory is refused in a sentence', async () => {
  stage.start();
  await controlPlane.until(() => controlPlane.facts.size > 0, 'the first is there');
  const second = startAgent(stage.options());
  await expect(second.exit).rejects.toThrow(/Another agent .* uses/);
});

test('an edge that was removed while it was away starts as a new one of its name', async () => {
  controlPlane.addJob('job-a', { ...quickJob, chunks: 20 });
  const first = stage.start();
  controlPlane.grant('edge-1', 'job-a', '0-9', 2);
  await controlPlane.until(
    () => controlPlane.jobs.get('job-a')!.done.size === 10,
    'the first half',
  );
  await first.stop();
  const { repeats } = controlPlane.jobs.get('job-a')!;
  controlPlane.revoke('edge-1');
  const second = stage.start();
  const enrolments = () =>
    controlPlane.requests.filter((line) => line === 'enrolled edge-1').length;
  await controlPlane.until(() => enrolments() === 2, 'it enrols again');
  controlPlane.grant('edge-1', 'job-a', '10-19', 2);
  await controlPlane.until(
    () => controlPlane.jobs.get('job-a')!.done.size === 20,
    'the second half',
  );
  expect(second.lines.join('\n')).toMatch(/enrolled again as a new edge/);
  expect(controlPlane.jobs.get('job-a')!.repeats).toBe(repeats);
});

test('a revoked edge stops and says so', async () => {
  controlPlane.addJob('job-a', { chunks: 1, run: { simulate: { seconds: 60 } } });
  const agent = stage.start({ enrolToken: controlPlane.enrolToken });
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  await controlPlane.until(
    () => controlPlane.reports.some(({ jobs }) => jobs.size > 0),
    'the chunk runs',
  );
  controlPlane.revoke('edge-1');
  expect(await agent.exit).toBe('revoked');
  expect(agent.lines.join('\n')).toMatch(/revoked or the edge was removed/);
});

test.each(['mqtt', 'http'] as const)(
  'over %s an agent that is stopped in order says goodbye, and does not begin there again',
  async (transport) => {
    const run = { simulate: { seconds: 60 } };
    controlPlane.addJob('job-a', { chunks: 2, chunkPower: 1, run });
    const options = stage.options({ transport });
    const first = stage.add(startAgent(options));
    controlPlane.grant('edge-1', 'job-a', '0-1', 1);
    const isRunning = () =>
      [...(controlPlane.reports.at(-1)?.jobs.values() ?? [])].some((job) => job.running.length > 0);
    await controlPlane.until(isRunning, 'it runs');
    await first.stop();
    const last = controlPlane.reports.at(-1)!;
    expect(last.goodbye).toBe(true);
    expect(isRunning()).toBe(false);
    stage.add(startAgent(options));
    await controlPlane.until(
      () => controlPlane.reports.at(-1)!.boot !== last.boot,
      'it reports again',
    );
    expect(controlPlane.reports.at(-1)!.goodbye).toBeUndefined();
    expect(isRunning()).toBe(false);
  },
);
