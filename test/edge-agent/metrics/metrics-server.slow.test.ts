import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseMetrics } from '../../../edge-agent/metrics/metrics-address.ts';
import { openMetrics } from '../../../edge-agent/metrics/metrics-server.ts';
import { runAgent } from '../../../edge-agent/program/run-agent.ts';
import { AgentStage } from '../agent-stage.ts';
import { parseScrape } from './prometheus-grammar.ts';

let stage: AgentStage;
beforeEach(async () => {
  stage = await AgentStage.open();
});
afterEach(() => stage.close());

const own = { host: '127.0.0.1', port: 0 };

test('an agent that works shows its figures, and nothing that is secret or anybody’s', async () => {
  const { controlPlane } = stage;
  const run = { process: { argv: ['sh', '-c', 'exit 3'], env: { SECRET: 'hidden-word' } } };
  controlPlane.addJob('job-a', { chunks: 2, chunkPower: 1, run: { simulate: { seconds: 0 } } });
  controlPlane.addJob('job-b', { chunks: 1, chunkPower: 1, run });
  const agent = stage.start({ metrics: own });
  controlPlane.grant('edge-1', 'job-a', '0-1', 2);
  controlPlane.grant('edge-1', 'job-b', '0', 1);
  const { jobs } = controlPlane;
  await controlPlane.until(() => jobs.get('job-a')!.done.size === 2, 'two are done');
  await controlPlane.until(() => jobs.get('job-b')!.failed.size === 1, 'one failed');
  const url = agent.lines.map((line) => /http:\S+$/.exec(line)?.[0]).find((one) => one)!;
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const page = await response.text();
  const ends = parseScrape(page).get('edgewise_chunks_ended_total')!.series;
  expect([ends.get('end="done"'), ends.get('end="failed"')]).toEqual([2, 1]);
  expect(parseScrape(page).get('edgewise_edges')!.series.get('state="connected"')).toBe(1);
  const words = ['hidden-word', 'edge-1', 'job-a', controlPlane.enrolToken, controlPlane.url];
  for (const word of words) expect(page).not.toContain(word);
  await agent.stop();
  await expect(fetch(url)).rejects.toThrow();
});

test('nothing listens when nobody asked for it', async () => {
  const agent = stage.start();
  await stage.controlPlane.until(() => stage.controlPlane.facts.has('edge-1'), 'it is there');
  expect(agent.lines.join('\n')).not.toContain('/metrics');
});

test('an address that somebody has is a sentence, and the agent does not start', async () => {
  const taken = await openMetrics(own);
  const options = stage.options({ metrics: { ...own, port: taken.port } });
  const run = runAgent(options, new AbortController().signal, { log: () => {} });
  await expect(run).rejects.toThrow(/--metrics cannot be had: somebody has it already/);
  await taken.close();
});

async function ask(port: number, head: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(`${head}\r\nConnection: close\r\n\r\n`);
  return text(socket);
}

test('only who addresses this machine reads, and only that page', async () => {
  const server = await openMetrics(own);
  const statusOf = async (line: string, host: string) =>
    (await ask(server.port, `${line} HTTP/1.1\r\nHost: ${host}`)).split(' ')[1];
  expect(await statusOf('GET /metrics', 'localhost:1')).toBe('503');
  server.show(() => [{ name: 'one', help: 'One.', type: 'gauge', samples: [{ value: 1 }] }]);
  expect(await statusOf('GET /metrics', '127.0.0.1')).toBe('200');
  expect(await statusOf('GET /metrics?x=1', '[::1]:1')).toBe('200');
  expect(await statusOf('GET /metrics', 'rebound.example')).toBe('421');
  expect(await statusOf('GET /metrics', '127.0.0.1.example')).toBe('421');
  expect(await statusOf('GET /', 'localhost')).toBe('404');
  expect(await statusOf('POST /metrics', 'localhost')).toBe('405');
  await server.close();
});

test.each([
  ['9464', { host: '127.0.0.1', port: 9464 }],
  ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
  ['[::1]:9464', { host: '::1', port: 9464 }],
])('%s is an address', (given, address) => {
  expect(parseMetrics(given)).toEqual(address);
});

test.each(['', 'yes', ':9464', '99999', '::1:9464', 'http://x:1'])('%j is none', (given) => {
  expect(() => parseMetrics(given)).toThrow('--metrics is PORT');
});
