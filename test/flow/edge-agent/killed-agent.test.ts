import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processesWith } from '../../../edge-agent/process-table.ts';
import {
  type AgentProcess,
  agentOptions,
  makeDirectory,
  startAgentProcess,
} from '../../edge-agent/agent-runner.ts';
import { type PlaneDouble, startPlane } from '../../edge-agent/plane-double.ts';

/** `KILLS=200` is the whole proof; the default keeps the suite short. */
const kills = Number(process.env.KILLS ?? 25);
const chunks = kills * 10;

let plane: PlaneDouble;
let directory: { path: string; remove: () => void };
let agent: AgentProcess;

beforeEach(async () => {
  plane = await startPlane();
  directory = makeDirectory();
});

afterEach(async () => {
  await agent.stop().catch(() => {});
  await plane.stop();
  directory.remove();
});

test(`an agent killed ${kills} times runs each of ${chunks} chunks once`, {
  timeout: 600_000,
}, async () => {
  const runs = join(directory.path, 'runs');
  // Appending one short line is atomic, so the file counts the runs that came to their end.
  // Long enough for the job to outlast the kills: what runs goes on while the agent is dead.
  const script = 'sleep 0.1; echo $EDGEWISE_CHUNK >> $RUNS';
  const argv = ['/bin/sh', '-c', script];
  const run = { process: { argv, env: { RUNS: runs }, cwd: null, timeoutSeconds: null } };
  plane.addJob('job-a', { chunks, run });
  const options = agentOptions(plane, directory.path);
  agent = startAgentProcess(options);
  plane.grant('edge-1', 'job-a', `0-${chunks - 1}`, 4);
  const job = plane.jobs.get('job-a')!;
  let seed = 7;
  const talk: string[] = [];
  for (let killed = 0; killed < kills; killed++) {
    seed = (seed * 16_807) % 2_147_483_647;
    // The moment itself is what is random here: from before the agent is up to the middle of its
    // work.
    await new Promise((resolve) => setTimeout(resolve, seed % 500));
    await agent.kill();
    talk.push(...agent.lines);
    agent = startAgentProcess(options);
  }
  expect(job.done.size).toBeLessThan(chunks);
  await plane.until(() => job.done.size === chunks, 'the job ends', 120_000);
  expect(job.failed.size).toBe(0);
  const counted = readFileSync(runs, 'utf8').trim().split('\n').map(Number);
  expect(talk.filter((line) => line.includes('launcher'))).toEqual([]);
  expect(counted.sort((a, b) => a - b)).toEqual(Array.from({ length: chunks }, (_, n) => n));
  await agent.stop();
  expect(processesWith('RUNS', (value) => value === runs)).toEqual([]);
});
