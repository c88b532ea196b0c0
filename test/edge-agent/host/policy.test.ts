import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Run } from '../../../core/model/job.ts';
import { rangeOf } from '../../../core/model/ranges.ts';
import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import {
  allowsHost,
  isOpen,
  namesHost,
  parsePolicy,
  refusalByPolicy,
} from '../../../edge-agent/host/policy.ts';
import { realDirectory } from '../../../edge-agent/host/real-directory.ts';

function refusal(
  policy: object,
  run: Run,
  more: { power?: number; minute?: number; by?: string; agentAt?: string } = {},
) {
  const spec = {
    id: 'job',
    hash: 'h',
    name: null,
    chunks: 1,
    chunkPower: 1,
    lastChunkPower: 1,
    run,
    resources: {},
    keepOutput: 'failed',
    offlineSeconds: null,
    createdBy: more.by ?? '',
  } as AgentSpec;
  const parsed = parsePolicy(JSON.stringify(policy));
  return refusalByPolicy(parsed, spec, {
    power: more.power ?? 1,
    chunks: rangeOf(0, 1),
    minuteOfDay: more.minute ?? 0,
    directoryOf: (cwd) => realDirectory(cwd, more.agentAt ?? '/opt/agent'),
  });
}

const inDirectory = (cwd: string | null): Run => ({
  process: { argv: ['true'], env: {}, cwd, timeoutSeconds: null },
});
const inImage = (image: string): Run => ({
  container: { image, argv: [], env: {}, timeoutSeconds: null },
});

test('an empty policy allows everything', () => {
  expect(refusal({}, inDirectory('/root'))).toBeNull();
});

test('deny wins over allow, and a list that is there allows nothing else', () => {
  const policy = { allow: { images: ['ghcr.io/acme/*'] }, deny: { images: ['*:latest'] } };
  expect(refusal(policy, inImage('ghcr.io/acme/tool:1'))).toBeNull();
  expect(refusal(policy, inImage('ghcr.io/acme/tool:latest'))).toMatch(/image .*latest/);
  expect(refusal(policy, inImage('evil.io/ghcr.io/acme/x'))).toMatch(/not allowed here: image/);
  expect(refusal(policy, inDirectory(null))).toBeNull();
});

test('executors, directories, users and power are judged', () => {
  expect(refusal({ deny: { executors: ['process'] } }, inDirectory(null))).toMatch(
    /executor process/,
  );
  expect(refusal({ allow: { cwd: ['/srv/*'] } }, inDirectory('/etc'))).toMatch(/directory \/etc/);
  expect(refusal({ allow: { users: ['ann'] } }, inDirectory(null), { by: 'ann' })).toBeNull();
  expect(refusal({ allow: { users: ['ann'] } }, inDirectory(null), { by: 'bob' })).toMatch(/bob/);
  expect(refusal({ allow: { users: ['ann'] } }, inDirectory(null))).toMatch(/user unknown/);
  expect(refusal({ maxPower: 10 }, inDirectory(null), { power: 11 })).toMatch(/power 11/);
});

test('with signers nothing runs that is not signed', () => {
  expect(refusal({ signers: {} }, inDirectory(null))).toBe(
    'not allowed here: the job is not signed',
  );
});

test('a directory is judged where it really is', () => {
  const policy = { allow: { cwd: ['/srv/*'] } };
  expect(refusal(policy, inDirectory('/srv/data'))).toBeNull();
  expect(refusal(policy, inDirectory('/srv/./data//x/'))).toBeNull();
  expect(refusal(policy, inDirectory('/srv/../root'))).toMatch(/directory \/root$/);
  expect(refusal({ deny: { cwd: ['/etc*'] } }, inDirectory('//etc'))).toMatch(/directory \/etc$/);
  expect(refusal(policy, inDirectory('srv/x'))).toMatch(/directory \/opt\/agent\/srv\/x$/);
});

test('a job without a directory is judged by the one it would run in', () => {
  expect(refusal({ allow: { cwd: ['/srv/*'] } }, inDirectory(null))).toMatch(/\/opt\/agent$/);
  const inside = { agentAt: '/srv/agent' };
  expect(refusal({ allow: { cwd: ['/srv/*'] } }, inDirectory(null), inside)).toBeNull();
  expect(refusal({ deny: { cwd: ['/opt/*'] } }, inDirectory(null))).toMatch(/\/opt\/agent$/);
});

test('a link leads where it leads', () => {
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
  try {
    symlinkSync('/etc', join(directory, 'link'));
    const policy = { allow: { cwd: [`${realpathSync(directory)}*`] } };
    expect(refusal(policy, inDirectory(directory))).toBeNull();
    expect(refusal(policy, inDirectory(join(directory, 'link')))).toMatch(/directory \/etc$/);
    const beyond = join(directory, 'link', 'not-there');
    expect(refusal(policy, inDirectory(beyond))).toMatch(/directory \/etc\/not-there$/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test.each([
  ['*:latest', 'ghcr.io/acme/tool'],
  ['*:latest', 'localhost:5000/tool'],
  ['docker.io/evil/*', 'evil/tool:1'],
  ['evil/*', 'docker.io/evil/tool:1'],
  ['alpine:*', 'docker.io/library/alpine'],
  ['docker.io/library/*', 'alpine'],
])('a rule against %s is one against %s', (pattern, image) => {
  expect(refusal({ deny: { images: [pattern] } }, inImage(image))).toMatch(/image/);
});

test('a digest is not the latest, and a newline gets past no rule', () => {
  const policy = { deny: { images: ['*:latest'] } };
  expect(refusal(policy, inImage(`alpine@sha256:${'0'.repeat(64)}`))).toBeNull();
  expect(refusal(policy, inImage('a\nb:latest'))).toMatch(/control character/);
  expect(refusal({ allow: { cwd: ['/srv/*'] } }, inDirectory('/srv/\n/x'))).toMatch(/control/);
});

test.each(['-h', '--help', '-v /:/host', 'alpine --privileged', ''])(
  'an image that an engine could take for an option is refused: "%s"',
  (image) => {
    expect(refusal({}, inImage(image))).toMatch(/no name of an image/);
  },
);

test('options that say where a batch runs or what it writes are refused', () => {
  const withOptions = (options: string[]) => ({
    slurm: { argv: ['true'], options, env: {}, cwd: null, timeoutSeconds: null },
  });
  expect(refusal({}, withOptions(['--partition=gpu']))).toBeNull();
  expect(refusal({}, withOptions(['--chdir=/etc']))).toMatch(/option --chdir=\/etc/);
});

test('hosts of inputs are allowed by pattern, and the own host by its name alone', () => {
  const policy = parsePolicy(
    '{"allow":{"hosts":["*.example.com","127.0.0.1","local*"]},"deny":{"hosts":["bad.*"]}}',
  );
  const allowed = ['data.example.com', 'bad.example.com', 'example.org', '127.0.0.1', 'localhost'];
  expect(allowed.filter((host) => allowsHost(policy, host))).toEqual([
    'data.example.com',
    '127.0.0.1',
    'localhost',
  ]);
  expect(allowed.filter((host) => namesHost(policy, host))).toEqual(['127.0.0.1']);
  expect(allowed.filter((host) => allowsHost(parsePolicy('{}'), host))).toEqual(allowed);
  expect(allowed.filter((host) => namesHost(parsePolicy('{}'), host))).toEqual([]);
});

test('hours may pass midnight', () => {
  const night = parsePolicy('{"allow":{"hours":["22:00-06:30"]},"deny":{"hours":["03:00-04:00"]}}');
  const open = (hour: number, minute = 0): boolean => isOpen(night, hour * 60 + minute);
  expect([open(21, 59), open(22), open(6, 29), open(6, 30), open(3), open(4)]).toEqual([
    false,
    true,
    true,
    false,
    false,
    true,
  ]);
});

test.each([
  ['{', 'it is not JSON'],
  ['{"alow":{}}', '"alow" is not a rule'],
  ['{"allow":{"image":["x"]}}', '"allow.image" is not a rule'],
  ['{"allow":{"images":"x"}}', '"allow.images" is not a list of texts'],
  ['{"allow":{"hours":["8-17"]}}', '"8-17" is not a span of hours such as 18:00-08:00'],
  ['{"signers":["x"]}', '"signers" is not an object of names with keys'],
  ['{"maxPower":-1}', '"maxPower" is not a positive number'],
])('%s is refused in words', (text, words) => {
  expect(() => parsePolicy(text)).toThrow(words);
});

const podOf = (...images: string[]): Run => ({
  pod: {
    containers: images.map((image, at) => ({ name: `c${at}`, image, argv: [], env: {} })),
    timeoutSeconds: null,
  },
});

test('what is said of containers and images holds for each container of a pod', () => {
  const acme = { allow: { executors: ['container'], images: ['ghcr.io/acme/*'] } };
  expect(refusal(acme, podOf('ghcr.io/acme/a:1', 'ghcr.io/acme/b:1'))).toBeNull();
  expect(refusal(acme, podOf('ghcr.io/acme/a:1', 'busybox:1'))).toContain('image busybox:1');
  expect(refusal({ deny: { images: ['*:latest'] } }, podOf('a:1', 'b'))).toContain('image b');
  expect(refusal({ deny: { executors: ['container'] } }, podOf('a:1'))).toContain('executor pod');
  expect(refusal({ deny: { executors: ['pod'] } }, podOf('a:1'))).toContain('executor pod');
  expect(refusal({ allow: { executors: ['process'] } }, podOf('a:1'))).toContain('executor pod');
  expect(refusal({}, podOf('a:1', '--privileged'))).toContain('no name of an image');
});
