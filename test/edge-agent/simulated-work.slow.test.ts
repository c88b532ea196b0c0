import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentOptions, makeDirectory, type RunningAgent, startAgent } from './agent-runner.ts';
import { type PlaneDouble, startPlane } from './plane-double.ts';

let plane: PlaneDouble;
let directory: { path: string; remove: () => void };
let agents: RunningAgent[];

beforeEach(async () => {
  plane = await startPlane();
  directory = makeDirectory();
  agents = [];
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
  await plane.stop();
  directory.remove();
});

function start(...args: Parameters<typeof startAgent>): RunningAgent {
  const agent = startAgent(...args);
  agents.push(agent);
  return agent;
}

const quickJob = { chunks: 40, chunkPower: 1, run: { simulate: { seconds: 0.01 } } };

test('an edge enrols, runs what it is granted and reports it once', async () => {
  plane.addJob('job-a', quickJob);
  start(agentOptions(plane, directory.path));
  plane.grant('edge-1', 'job-a', '0-39', 8);
  await plane.until(() => plane.jobs.get('job-a')!.done.size === 40, 'all chunks done');
  expect(plane.jobs.get('job-a')!.failed.size).toBe(0);
  await plane.until(() => plane.facts.has('edge-1'), 'facts told');
  expect(plane.facts.get('edge-1')).toMatchObject({ capacity: { power: 250 } });
});

test('several edges in one process are numbered and each does its own', async () => {
  plane.addJob('job-a', { ...quickJob, chunks: 30 });
  const names = ['fleet-0', 'fleet-1', 'fleet-2'];
  start(agentOptions(plane, directory.path, { names }));
  names.forEach((name, index) => {
    plane.grant(name, 'job-a', `${index * 10}-${index * 10 + 9}`, 4);
  });
  await plane.until(() => plane.jobs.get('job-a')!.done.size === 30, 'all chunks done');
});

test.each(['mqtt', 'http'] as const)(
  'over %s a plane that was restored to an earlier epoch is told, and obeyed from then on',
  async (transport) => {
    plane.addJob('job-a', { ...quickJob, chunks: 20 });
    start(agentOptions(plane, directory.path, { transport }));
    for (const chunk of [0, 1, 2]) {
      plane.grant('edge-1', 'job-a', `${chunk}`, 1);
      await plane.until(() => plane.jobs.get('job-a')!.done.has(chunk), 'some epochs pass');
    }
    plane.restoreTo('edge-1', 1);
    plane.grant('edge-1', 'job-a', '3-19', 4);
    await plane.until(() => plane.jobs.get('job-a')!.done.size === 20, 'the work after it');
  },
);

test('a restart under the same name goes on with its identity and its results', async () => {
  plane.addJob('job-a', { ...quickJob, chunks: 20 });
  const first = start(agentOptions(plane, directory.path));
  plane.grant('edge-1', 'job-a', '0-9', 2);
  await plane.until(() => plane.jobs.get('job-a')!.done.size === 10, 'the first half');
  await first.stop();
  plane.grant('edge-1', 'job-a', '10-19', 2);
  start(agentOptions(plane, directory.path, { enrolToken: null }));
  await plane.until(() => plane.jobs.get('job-a')!.done.size === 20, 'the second half');
  expect(plane.requests.filter((line) => line === 'POST /v1/edges')).toHaveLength(1);
});

test('over HTTP the same work is done', async () => {
  plane.addJob('job-a', quickJob);
  start(agentOptions(plane, directory.path, { transport: 'http' }));
  plane.grant('edge-1', 'job-a', '0-39', 8);
  await plane.until(() => plane.jobs.get('job-a')!.done.size === 40, 'all chunks done');
  await plane.until(() => plane.facts.has('edge-1'), 'facts told');
  expect(plane.shadows.updates).toHaveLength(0);
});

test('a second agent on the same directory is refused in a sentence', async () => {
  start(agentOptions(plane, directory.path));
  await plane.until(() => plane.facts.size > 0, 'the first is there');
  const second = startAgent(agentOptions(plane, directory.path));
  await expect(second.exit).rejects.toThrow(/Another agent .* uses/);
});

test('an edge that was removed while it was away starts as a new one of its name', async () => {
  plane.addJob('job-a', { ...quickJob, chunks: 20 });
  const first = start(agentOptions(plane, directory.path));
  plane.grant('edge-1', 'job-a', '0-9', 2);
  await plane.until(() => plane.jobs.get('job-a')!.done.size === 10, 'the first half');
  await first.stop();
  plane.revoke('edge-1');
  const second = start(agentOptions(plane, directory.path));
  const enrolments = () => plane.requests.filter((line) => line === 'enrolled edge-1').length;
  await plane.until(() => enrolments() === 2, 'it enrols again');
  plane.grant('edge-1', 'job-a', '10-19', 2);
  await plane.until(() => plane.jobs.get('job-a')!.done.size === 20, 'the second half');
  expect(second.lines.join('\n')).toMatch(/enrolled again as a new edge/);
  expect(plane.jobs.get('job-a')!.repeats).toBe(0);
});

test('a revoked edge stops and says so', async () => {
  plane.addJob('job-a', { chunks: 1, run: { simulate: { seconds: 60 } } });
  const agent = start(agentOptions(plane, directory.path, { enrolToken: plane.enrolToken }));
  plane.grant('edge-1', 'job-a', '0', 1);
  await plane.until(() => plane.reports.some(({ jobs }) => jobs.size > 0), 'the chunk runs');
  plane.revoke('edge-1');
  expect(await agent.exit).toBe('revoked');
  expect(agent.lines.join('\n')).toMatch(/revoked or the edge was removed/);
});
