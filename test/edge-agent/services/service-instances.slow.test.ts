import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { emptyRanges, has } from '../../../core/model/ranges.ts';
import type { JobProgress } from '../../../core/protocol/progress-report.ts';
import { startAgentProcess } from '../agent-runner.ts';
import { AgentStage } from '../agent-stage.ts';

let stage: AgentStage;
let controlPlane: AgentStage['controlPlane'];
beforeEach(async () => {
  stage = await AgentStage.open();
  controlPlane = stage.controlPlane;
});
afterEach(() => stage.close());

const service = {
  restart: { policy: 'always', backoffSeconds: 1, backoffSecondsMax: 8, resetAfterSeconds: 60 },
  ready: { afterSeconds: 0 },
  stopGraceSeconds: 1,
};

function instances(script: string, chunks: number): void {
  const argv = ['/bin/sh', '-c', script];
  const env = { MARKS: stage.path };
  const run = { process: { argv, env, cwd: null, timeoutSeconds: null } };
  controlPlane.addJob('web', { chunks, chunkPower: 1, run, keepOutput: 'none', ...service });
}

const last = (): JobProgress | undefined => {
  return controlPlane.reports.at(-1)?.jobs.get(jobIdOf('web'));
};

test('an instance that ends well is reported with its exit code, and never as done', async () => {
  instances('[ "$EDGEWISE_CHUNK" = 0 ] && exit 0; exec sleep 600', 2);
  stage.start();
  controlPlane.grant('edge-1', 'web', '0-1', 2);
  const web = controlPlane.jobs.get('web')!;
  await controlPlane.until(() => web.failed.has(0), 'its end is reported');
  expect(web.failed.get(0)).toBe(0);
  expect(web.done.size).toBe(0);
  const isReady = (): boolean => {
    const entry = last();
    return entry?.ready !== undefined && has(entry.ready, 1) && !has(entry.ready, 0);
  };
  await controlPlane.until(isReady, 'the other one is ready');
});

test('a later start that is asked for stops the one before it, also one that does not listen', async () => {
  instances('trap "" TERM; : > "$MARKS/$EDGEWISE_ATTEMPT"; while :; do sleep 1; done', 1);
  stage.start();
  controlPlane.grant('edge-1', 'web', '0', 1);
  const runs = (attempt: number): boolean => {
    const entry = last();
    if (entry === undefined || !has(entry.running, 0)) return false;
    return attempt === 1 ? entry.attempts.size === 0 : entry.attempts.has(attempt);
  };
  await controlPlane.until(() => runs(1), 'the first start runs');
  controlPlane.amend('edge-1', 'web', { attempts: '2:0' });
  await controlPlane.until(() => runs(2), 'the second start runs');
  expect(controlPlane.jobs.get('web')!.failed.size).toBe(0);
});

/** Listens on the port that it was given; ready answers are a file. */
const server = `
  const { createServer } = require('node:http');
  const { existsSync } = require('node:fs');
  const { MARKS, EDGEWISE_PORT_HTTP } = process.env;
  const answer = () => (existsSync(MARKS + '/good') ? 204 : 503);
  createServer((_, response) => response.writeHead(answer()).end()).listen(EDGEWISE_PORT_HTTP);`;

function serve(more: Record<string, unknown>): void {
  const argv = [process.execPath, '-e', server];
  const run = { process: { argv, env: { MARKS: stage.path }, cwd: null, timeoutSeconds: null } };
  const ports = [{ name: 'http', target: null, port: null, protocol: 'tcp' }];
  controlPlane.addJob('web', { chunks: 1, run, ports, keepOutput: 'none', ...service, ...more });
}

const pace = { everySeconds: 1, timeoutSeconds: 1, failures: 1 };
const isReady = (): boolean => has(last()?.ready ?? emptyRanges, 0);

test('an instance with a port is ready while it answers, and its report says where it is', async () => {
  serve({ ready: { http: { port: 'http', path: '/health', ...pace } } });
  stage.start();
  controlPlane.grant('edge-1', 'web', '0', 1);
  await controlPlane.until(() => last()?.ports !== undefined, 'it runs');
  expect(isReady()).toBe(false);
  const port = last()!.ports!.get(0)!.get('http')!;
  expect(port).toBeGreaterThanOrEqual(45_000);
  writeFileSync(join(stage.path, 'good'), '');
  await controlPlane.until(isReady, 'it is ready');
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(204);
  rmSync(join(stage.path, 'good'));
  await controlPlane.until(() => !isReady(), 'it is not ready any more');
});

test('a program that is asked runs where the instance runs and sees what it sees', async () => {
  const script =
    'test -e "$MARKS/good" && test "$PWD" = "$EDGEWISE_DIR" && test -n "$EDGEWISE_PORT_HTTP"';
  serve({ ready: { exec: { argv: ['/bin/sh', '-c', script], ...pace } } });
  stage.start();
  controlPlane.grant('edge-1', 'web', '0', 1);
  await controlPlane.until(() => last() !== undefined, 'it runs');
  expect(isReady()).toBe(false);
  writeFileSync(join(stage.path, 'good'), '');
  await controlPlane.until(isReady, 'it is ready');
});

test('a port of its own that somebody has is the end of the start, in words', async () => {
  const other = createServer().listen(0);
  await once(other, 'listening');
  try {
    const { port } = other.address() as AddressInfo;
    serve({ ports: [{ name: 'http', target: null, port, protocol: 'tcp' }] });
    stage.start();
    controlPlane.grant('edge-1', 'web', '0', 1);
    const web = controlPlane.jobs.get('web')!;
    await controlPlane.until(() => web.failed.has(0), 'its end is reported');
    expect(web.failed.get(0)).toBe(`start-failed: port ${port} is taken`);
  } finally {
    other.close();
  }
});

test('an instance that outlived its agent keeps its port, and is ready again', async () => {
  serve({ ready: { http: { port: 'http', path: '/', ...pace } } });
  writeFileSync(join(stage.path, 'good'), '');
  const first = stage.add(startAgentProcess(stage.options()));
  controlPlane.grant('edge-1', 'web', '0', 1);
  await controlPlane.until(isReady, 'it is ready');
  const { boot } = controlPlane.reports.at(-1)!;
  const { ports } = last()!;
  await first.kill();
  stage.start();
  const isNext = () => controlPlane.reports.at(-1)!.boot !== boot && isReady();
  await controlPlane.until(isNext, 'the next agent says that it is ready');
  expect(last()!.ports).toEqual(ports);
  expect(last()!.attempts.size).toBe(0);
});
