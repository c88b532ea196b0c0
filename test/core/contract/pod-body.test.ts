import { expect, test } from 'vitest';
import { fillJob, jobBodySchema } from '../../../core/contract/job-body.ts';
import { checkBody } from '../../../core/contract/validation.ts';
import type { JobSpec } from '../../../core/model/job.ts';
import { podContainersMax } from '../../../core/runs/limits.ts';
import { generationSpecOf } from '../../../core/services/generation.ts';
import { portsMax } from '../../../core/services/limits.ts';

const web = { name: 'web', image: 'nginx:1' };
const log = { name: 'log', image: 'busybox:1', argv: ['tail', '-f', 'access'], env: { A: '1' } };
const http = { name: 'http', target: 80 };
const metrics = { name: 'metrics', target: 9_000, port: 9_100 };

const pod = (containers: unknown, more: object = {}) => ({
  kind: 'service',
  chunks: 1,
  run: { pod: { containers } },
  ...more,
});

function specOf(body: object): JobSpec {
  const checked = checkBody(jobBodySchema, body);
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  return fillJob(checked.value, { largestEdgePower: null, policy: 'spread' }).spec;
}

test('a pod is its containers, of a job that ends and of a service', () => {
  const containers = [
    { ...web, argv: [], env: {} },
    { ...log, env: { A: '1' } },
  ];
  const run = { pod: { containers, timeoutSeconds: null } };
  expect(specOf(pod([web, log])).run).toEqual(run);
  expect(specOf({ run: { pod: { containers: [web, log], timeoutSeconds: 5 } } }).run).toEqual({
    pod: { containers, timeoutSeconds: 5 },
  });
});

test('ports of its containers are ports of the service, and what was read may be sent again', () => {
  const body = pod([
    { ...web, ports: [http] },
    { ...log, ports: [metrics] },
  ]);
  const spec = specOf({ ...body, ready: { http: { port: 'http' } } });
  const filled = { port: null, protocol: 'tcp' };
  expect(spec.ports).toEqual([
    { ...http, ...filled },
    { ...filled, ...metrics },
  ]);
  const { run, ports, ready, restart } = spec;
  const again = specOf({ ...body, run, ports, ready, restart });
  expect(generationSpecOf(again)).toEqual(generationSpecOf(spec));
});

const many = (count: number, of: (at: number) => object): object[] =>
  Array.from({ length: count }, (_, at) => of(at));

test.each<[string, object, string]>([
  ['nothing in it', pod([]), '/run/pod/containers'],
  [
    'too many containers',
    pod(many(podContainersMax + 1, (at) => ({ ...web, name: `c${at}` }))),
    '/run/pod/containers',
  ],
  ['two of one name', pod([web, web]), '/run/pod/containers'],
  ['a name for a shell', pod([{ ...web, name: 'a;b' }]), '/run/pod/containers/0/name'],
  ['a long name', pod([{ ...web, name: 'a'.repeat(33) }]), '/run/pod/containers/0/name'],
  ['no image', pod([{ name: 'web' }]), '/run/pod/containers/0/image'],
  ['an option as image', pod([{ ...web, image: '-v' }]), '/run/pod/containers/0/image'],
  ['more than that', pod([{ ...web, volumes: [] }]), '/run/pod/containers/0/volumes'],
  [
    'one port of two containers',
    pod([
      { ...web, ports: [http] },
      { ...log, ports: [http, { ...http, name: 'http', target: 81 }] },
    ]),
    '/run/pod/containers/1/ports/0/name',
  ],
  [
    'one number twice',
    pod([{ ...web, ports: [metrics, { ...metrics, name: 'b' }] }]),
    '/run/pod/containers/0/ports/1/port',
  ],
  [
    'another port of the same name beside it',
    pod([{ ...web, ports: [http] }], { ports: [{ ...http, target: 81 }] }),
    '/run/pod/containers/0/ports/0/name',
  ],
  [
    'too many ports in all',
    pod(many(portsMax + 1, (at) => ({ ...web, name: `c${at}`, ports: [{ name: `p${at}` }] }))),
    '/ports',
  ],
  [
    'ports of what ends',
    { run: { pod: { containers: [{ ...web, ports: [http] }] } } },
    '/run/pod/containers/0/ports',
  ],
  ['a pod beside a container', { run: { ...pod([web]).run, container: { image: 'a' } } }, '/run'],
])('%s is refused with its place', (_what, body, pointer) => {
  const checked = checkBody(jobBodySchema, body);
  expect(checked.ok ? [] : checked.errors.map((it) => it.pointer)).toContain(pointer);
});

test('names in the words of each container are known to a sweep, or refused', () => {
  const params = { matrix: { n: [1, 2] } };
  const job = (argv: string[]) => ({
    params,
    run: { pod: { containers: [web, { ...log, argv }] } },
  });
  expect(checkBody(jobBodySchema, job(['{n}'])).ok).toBe(true);
  const checked = checkBody(jobBodySchema, job(['tail', '{m}']));
  expect(checked.ok ? [] : checked.errors.map((it) => it.pointer)).toEqual([
    '/run/pod/containers/1/argv/1',
  ]);
});
