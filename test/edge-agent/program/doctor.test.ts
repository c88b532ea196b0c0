import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentCommand } from '../../../edge-agent/main.ts';
import type { AgentOptions } from '../../../edge-agent/program/agent-options.ts';
import { examineAgent, type Finding } from '../../../edge-agent/program/doctor.ts';
import { agentOptions, makeDirectory, startAgent } from '../agent-runner.ts';
import { type ControlPlaneDouble, startControlPlane } from '../control-plane-double.ts';

let controlPlane: ControlPlaneDouble;
let directory: { path: string; remove: () => void };

beforeEach(async () => {
  controlPlane = await startControlPlane();
  directory = makeDirectory();
});

afterEach(async () => {
  await controlPlane.stop();
  directory.remove();
});

async function enrolOnce(): Promise<AgentOptions> {
  const options = agentOptions(controlPlane, directory.path);
  const agent = startAgent(options);
  await controlPlane.until(() => controlPlane.facts.size > 0, 'enrolled and connected');
  await agent.stop();
  return options;
}

async function examine(options: AgentOptions): Promise<Map<string, Finding>> {
  return new Map((await examineAgent(options)).map((finding) => [finding.check, finding]));
}

test('an edge that is well is said to be, in every respect', async () => {
  const findings = await examine(await enrolOnce());
  expect([...findings.keys()]).toEqual([
    'directory',
    'disk',
    'dns',
    'api',
    'clock',
    'certificate',
    'mqtt',
    'credentials',
  ]);
  expect([...findings.values()].filter(({ isOk }) => !isOk)).toEqual([]);
});

test('the command prints a line for each, and its exit code sums them up', async () => {
  await enrolOnce();
  const run = async (...more: string[]): Promise<[number, string]> => {
    let text = '';
    const out = (part: string): void => {
      text += part;
    };
    const words = ['doctor', '--name', 'edge-1', '--data', directory.path, ...more];
    return [await agentCommand(words, {}, { out, err: out }), text];
  };
  const [good, lines] = await run('--api', controlPlane.url);
  expect([good, lines]).toEqual([0, expect.stringMatching(/^ok {3}directory /)]);
  controlPlane.revoke('edge-1');
  const [bad, more] = await run('--api', controlPlane.url);
  expect([bad, more]).toEqual([1, expect.stringMatching(/^BAD +credentials +edge-1 is not acc/m)]);
});

test('an edge that never enrolled learns how', async () => {
  const findings = await examine(agentOptions(controlPlane, directory.path, { enrolToken: null }));
  expect(findings.get('identity')).toEqual({
    check: 'identity',
    isOk: false,
    words: 'edge-1 is not enrolled yet. Start it once with --enrol-token-file.',
  });
});

test('a control plane that is away, and a broker that is, are named by their ports', async () => {
  const options = await enrolOnce();
  await controlPlane.shadows.stop();
  expect((await examine(options)).get('mqtt')).toMatchObject({ isOk: false });
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const findings = await examine({ ...options, api: `http://127.0.0.1:${port}` });
  expect(findings.get('api')).toMatchObject({
    isOk: false,
    words: expect.stringContaining(`127.0.0.1 port ${port} cannot be reached`),
  });
  expect(findings.get('clock')?.isOk).toBe(false);
  expect(findings.get('credentials')?.isOk).toBe(false);
});

test('a name without an address ends the examination there', async () => {
  const options = agentOptions(controlPlane, directory.path, { api: 'https://edgewise.invalid' });
  const findings = await examine(options);
  expect(findings.get('dns')?.words).toMatch(/^edgewise\.invalid has no address here/);
  expect(findings.has('api')).toBe(false);
});

test.each([
  [3_600_000, /It is \d+ s behind/],
  [-3_600_000, /It is \d+ s ahead/],
])('a clock that is an hour off is named, and to which side', async (offMs, words) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { date: new Date(Date.now() + offMs).toUTCString() }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const options = agentOptions(controlPlane, directory.path, { api: `http://127.0.0.1:${port}` });
  const clock = (await examine(options)).get('clock');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(clock).toMatchObject({ isOk: false, words: expect.stringMatching(words) });
});

test('a directory that cannot be one is named', async () => {
  const file = join(directory.path, 'edge-1');
  writeFileSync(file, '');
  const findings = await examine(agentOptions(controlPlane, directory.path));
  expect(findings.get('directory')?.words).toMatch(/cannot be used: ENOTDIR/);
});
