import { expect, test } from 'vitest';
import type { Chunk, Job } from '../../../core/contract/resources.ts';
import {
  exitWords,
  generationRows,
  hrefOfPort,
  lastExits,
  rolloutWords,
  runWords,
} from '../../../dashboard/model/service-instances.ts';

const port = { name: 'http', host: '10.0.0.7', port: 45_001, protocol: 'tcp' } as const;
const run = (image: string) => ({ container: { image, argv: [], env: {}, timeoutSeconds: null } });

function service(status: object, generation = 2): Job {
  const all = { wanted: 3, ready: 3, updated: 3, unavailable: 0, restarts: 0, rolloutReason: null };
  const of = { generation: 2, rollout: 'done', ...all, ...status };
  return { generation, spec: { run: run('web:2') }, status: { service: of } } as unknown as Job;
}

const instance = (chunk: number, more: object): Chunk => ({ chunk, ...more }) as unknown as Chunk;

test('a port is a link where a browser finds a way there, and nothing else ever is', () => {
  expect(hrefOfPort(port)).toBe('http://10.0.0.7:45001/');
  expect(hrefOfPort({ ...port, host: 'fe80::1' })).toBe('http://[fe80::1]:45001/');
  expect(hrefOfPort({ ...port, host: 'box.lan' })).toBe('http://box.lan:45001/');
  expect(hrefOfPort({ ...port, protocol: 'udp' })).toBeNull();
  for (const host of [null, '', 'x/y', 'a@b', '"><script>', 'javascript:alert(1)', '[::1]']) {
    expect(hrefOfPort({ ...port, host })).toBeNull();
  }
});

test('generations stand side by side: those that are kept, run or wanted, newest first', () => {
  const kept = [2, 1].map((generation) => ({
    generation,
    run: run(`web:${generation}`),
    createdAt: '2026-11-18T16:00:00.000Z',
  })) as unknown as Parameters<typeof generationRows>[2];
  const instances = [
    instance(0, { generation: 2, ready: true }),
    instance(1, { generation: 2, ready: false }),
    instance(2, { generation: 1, ready: true }),
  ];
  const rows = generationRows(service({ rollout: 'moving' }), instances, kept);
  expect(rows.map((it) => [it.generation, it.instances, it.ready, it.runs, it.isTarget])).toEqual([
    [2, 2, 1, 'web:2', true],
    [1, 1, 1, 'web:1', false],
  ]);
  const old = generationRows(service({}), [instance(0, { generation: 7 })], []);
  expect(old.map(({ generation, runs }) => [generation, runs])).toEqual([
    [7, null],
    [2, 'web:2'],
  ]);
});

test('how a rollout is reads as a sentence', () => {
  expect(rolloutWords(service({}))).toBe('All instances run generation 2.');
  expect(rolloutWords(service({ rollout: 'moving', updated: 1 }))).toBe(
    'On the way to generation 2, 1 of 3 instances.',
  );
  expect(rolloutWords(service({}, 3))).toBe('Generation 3 is wanted.');
  const back = { rollout: 'rolled-back', rolloutReason: 'instance 0 ended: exit code 1' };
  expect(rolloutWords(service(back, 3))).toBe(
    'Rolled back to generation 2, 3 of 3 instances: instance 0 ended: exit code 1.',
  );
});

test('ends are listed the last one first, in words', () => {
  const ends = [
    instance(0, { lastExit: null }),
    instance(1, { lastExit: { exitCode: 3, reason: null, at: '2026-11-18T16:00:00.000Z' } }),
    instance(2, { lastExit: { exitCode: null, reason: 'lost', at: '2026-11-18T17:00:00.000Z' } }),
  ];
  expect(lastExits(ends).map(({ chunk, lastExit }) => [chunk, exitWords(lastExit)])).toEqual([
    [2, 'lost: nobody saw how it ended'],
    [1, 'exit code 3'],
  ]);
  expect(exitWords(null)).toBe('none');
});

test('what runs reads as somebody would type it', () => {
  const { spec } = service({});
  expect(runWords(spec.run)).toBe('web:2');
  expect(runWords({ process: { argv: ['httpd', '-f'] } } as never)).toBe('httpd -f');
  expect(runWords({ simulate: {} } as never)).toBe('simulate');
  const containers = [
    { name: 'web', image: 'nginx:1' },
    { name: 'log', image: 'busybox:1', argv: ['tail'] },
  ];
  expect(runWords({ pod: { containers } } as never)).toBe('web: nginx:1, log: busybox:1 tail');
  expect(runWords({ vm: { rootfs: 'https://host/a.gz' } } as never)).toBe('vm https://host/a.gz');
});
