import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collectFacts, type FactsInput, makeFactsBoard } from '../../../edge-agent/host/facts.ts';
import { examineHost, findProgram, type Host } from '../../../edge-agent/host/host-inspection.ts';
import { chunkTasksMax, factsEveryMs } from '../../../edge-agent/limits.ts';
import { agentVersion } from '../../../edge-agent/program/version.ts';
import { makeDirectory } from '../agent-runner.ts';
import { makeHandClock } from '../hand-clock.ts';

let directory: { path: string; remove: () => void };
let path: string;
beforeEach(() => {
  directory = makeDirectory();
  path = join(directory.path, 'bin');
  mkdirSync(path);
});
afterEach(() => directory.remove());

function program(name: string, script: string): void {
  writeFileSync(join(path, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

const ask = (more: Partial<Parameters<typeof examineHost>[0]> = {}): Promise<Host> =>
  examineHost({ wanted: null, path, software: {}, ...more });

test('a bare host offers what needs no program', async () => {
  const host = await ask();
  expect([...host.executors.keys()]).toEqual(['simulate', 'process']);
  expect(host.containerEngine).toBeNull();
});

test('what is there and answers is offered, with its version', async () => {
  program('podman', 'echo 4.3.1');
  for (const name of ['sbatch', 'squeue', 'scancel']) program(name, 'echo slurm-wlm 22.05.8');
  program('flux', 'echo "commands:    0.66.0"');
  const host = await ask();
  expect(Object.fromEntries(host.executors)).toEqual({
    simulate: '1',
    process: '1',
    container: '4.3.1',
    pod: '4.3.1',
    slurm: '22.05.8',
    flux: '0.66.0',
  });
  expect(host.containerEngine).toBe('podman');
});

test('with two container engines it is docker, also when that one answers later', async () => {
  program('docker', 'sleep 0.2; echo 28.5.2');
  program('podman', 'echo 4.3.1');
  const host = await ask();
  expect(host.containerEngine).toBe('docker');
  expect(host.executors.get('container')).toBe('28.5.2');
});

test('a client without its daemon and half a Slurm are not offered', async () => {
  program('docker', 'echo "Cannot connect to the Docker daemon" >&2; exit 1');
  program('sbatch', 'echo slurm-wlm 22.05.8');
  const host = await ask();
  expect([...host.executors.keys()]).toEqual(['simulate', 'process']);
});

test('only what is wanted is offered', async () => {
  program('podman', 'echo 4.3.1');
  const host = await ask({ wanted: ['process', 'slurm'] });
  expect([...host.executors.keys()]).toEqual(['process']);
});

test('software is asked by its commands; what fails or says nothing of a version is listed as such', async () => {
  program('spack', 'echo 0.21.1 "(abc)"');
  program('tool', 'echo ready');
  program('broken', 'echo 1.0; exit 3');
  const software = { spack: 'spack --version', tool: 'tool', broken: 'broken', none: 'no-such' };
  expect((await ask({ software })).software).toEqual({ spack: '0.21.1', tool: 'unknown' });
});

test('programs are found on the path, and only those that may be run', () => {
  program('here', 'true');
  writeFileSync(join(path, 'text'), '', { mode: 0o644 });
  expect(findProgram('here', `/nowhere:${path}`)).toBe(join(path, 'here'));
  expect(findProgram('text', path)).toBeNull();
  expect(findProgram('absent', path)).toBeNull();
});

test('facts say what is there, and nothing that is not', async () => {
  const input: FactsInput = {
    power: 300,
    labels: { site: 'north' },
    host: await ask(),
    isolation: 'user',
    dataDirectory: directory.path,
    chunksDirectory: directory.path,
    cacheBytes: 5_000,
    health: 'ok',
  };
  const { capacity, labels, facts } = collectFacts(input);
  expect(capacity).toMatchObject({ power: 300, gpus: 0 });
  expect(capacity.cores).toBeGreaterThan(0);
  expect(capacity.memoryMb).toBeGreaterThan(100);
  expect(capacity.diskMb).toBeGreaterThan(100);
  expect(capacity.processes).toBe(chunkTasksMax);
  expect(labels).toEqual({ site: 'north' });
  expect(facts).toMatchObject({
    arch: process.arch,
    cores: capacity.cores,
    executors: { simulate: '1', process: '1' },
    agent: agentVersion,
    health: 'ok',
    isolation: 'user',
    cacheBytes: 5_000,
    disks: { data: { totalGb: expect.any(Number), freeGb: expect.any(Number) } },
  });
  expect(facts.software).toBeUndefined();
  expect(facts.os).toMatchObject({ name: expect.stringMatching(/./) });
  expect(JSON.stringify({ capacity, labels, facts }).length).toBeLessThan(8 * 1024);
});

test('facts are looked at now and then, and are the same object until one changed', async () => {
  const clock = makeHandClock();
  const host = await ask();
  let health = 'ok';
  let looks = 0;
  const board = makeFactsBoard(clock, () => {
    looks += 1;
    const { path } = directory;
    const directories = { dataDirectory: path, chunksDirectory: path, cacheBytes: 0 };
    return collectFacts({ power: 1, labels: {}, host, isolation: 'none', ...directories, health });
  });
  const first = board();
  health = 'disk-full';
  expect([board(), looks]).toEqual([first, 1]);
  clock.after(factsEveryMs, () => {});
  await clock.wind();
  const second = board();
  expect(second.facts.health).toBe('disk-full');
  clock.after(factsEveryMs, () => {});
  await clock.wind();
  expect(board()).toBe(second);
  expect(looks).toBe(3);
});
