import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processesWith } from '../../../edge-agent/host/process-table.ts';
import {
  type AgentProcess,
  agentOptions,
  makeDirectory,
  startAgentProcess,
} from '../../edge-agent/agent-runner.ts';
import {
  type ControlPlaneDouble,
  startControlPlane,
} from '../../edge-agent/control-plane-double.ts';

/** `KILLS=200` is the whole proof; the default keeps the suite short. */
const kills = Number(process.env.KILLS ?? 25);
const chunksPerKill = 10;
const chunks = kills * chunksPerKill;

let controlPlane: ControlPlaneDouble;
let directory: { path: string; remove: () => void };
let agent: AgentProcess;

beforeEach(async () => {
  controlPlane = await startControlPlane();
  directory = makeDirectory();
});

afterEach(async () => {
  await agent.stop().catch(() => {});
  await controlPlane.stop();
  directory.remove();
});

test(`an agent killed ${kills} times runs each of ${chunks} chunks once`, {
  timeout: 600_000,
}, async () => {
  const runs = join(directory.path, 'runs');
  const gate = join(directory.path, 'gate');
  const letThrough = (count: number): void => {
    writeFileSync(`${gate}.new`, `${count}\n`);
    renameSync(`${gate}.new`, gate);
  };
  letThrough(chunksPerKill - 1);
  // The job cannot outrun the kills, however slow the machine: what runs goes on while the agent is
  // dead.
  const wait = 'while read count < $GATE && [ $EDGEWISE_CHUNK -ge $count ]; do sleep 0.1; done';
  // Appending one short line is atomic, so the file counts the runs that came to their end.
  const script = `sleep 0.1; ${wait}; echo $EDGEWISE_CHUNK >> $RUNS`;
  const env = { RUNS: runs, GATE: gate };
  const run = {
    process: { argv: ['/bin/sh', '-c', script], env, cwd: null, timeoutSeconds: null },
  };
  controlPlane.addJob('job-a', { chunks, run });
  const options = agentOptions(controlPlane, directory.path);
  agent = startAgentProcess(options);
  controlPlane.grant('edge-1', 'job-a', `0-${chunks - 1}`, 4);
  const job = controlPlane.jobs.get('job-a')!;
  let seed = 7;
  const talk: string[] = [];
  const isThere = () => agent.lines.some((line) => line.endsWith(': connected'));
  for (let killed = 0; killed < kills; killed++) {
    seed = (seed * 16_807) % 2_147_483_647;
    // The moment itself is what is random here: from before the agent is up to the middle of its
    // work.
    await new Promise((resolve) => setTimeout(resolve, seed % 500));
    // What ran is given up once nobody has asked for it for ten seconds. On a busy machine no agent
    // would live long enough to ask.
    if (killed % 10 === 9) await expect.poll(isThere, { timeout: 60_000 }).toBe(true);
    await agent.kill();
    talk.push(...agent.lines);
    agent = startAgentProcess(options);
    if (killed < kills - 1) letThrough((killed + 2) * chunksPerKill - 1);
  }
  expect(job.done.size).toBeLessThan(chunks);
  letThrough(chunks);
  for (let tenths = 1; tenths <= 10; tenths++) {
    const enough = (): boolean => job.done.size >= (chunks * tenths) / 10;
    await controlPlane.until(enough, `${tenths} tenths of the job are done`, 60_000);
  }
  expect(job.failed.size).toBe(0);
  const counted = readFileSync(runs, 'utf8').trim().split('\n').map(Number);
  expect(talk.filter((line) => line.includes('launcher'))).toEqual([]);
  expect(counted.sort((a, b) => a - b)).toEqual(Array.from({ length: chunks }, (_, n) => n));
  await agent.stop();
  expect(processesWith('RUNS', (value) => value === runs)).toEqual([]);
});
