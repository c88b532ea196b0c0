import { expect, test } from 'vitest';
import { fillJob, jobBodySchema } from '../../../core/contract/job-body.ts';
import { checkBody } from '../../../core/contract/validation.ts';
import { portsMax } from '../../../core/services/limits.ts';

const pool = { largestEdgePower: null, policy: 'spread' } as const;
const web = { kind: 'service', run: { process: { argv: ['web'] } } };
const nginx = { container: { image: 'nginx:1' } };
const http = { name: 'http' };

function specOf(body: object) {
  const checked = checkBody(jobBodySchema, { ...web, ...body });
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  return fillJob(checked.value, pool).spec;
}

test('an instance is ready a second after its start, unless it is asked', () => {
  expect(specOf({}).ready).toEqual({ afterSeconds: 1 });
  expect(specOf({ ready: {} }).ready).toEqual({ afterSeconds: 1 });
  const pace = { everySeconds: 5, timeoutSeconds: 1, failures: 3 };
  expect(specOf({ ready: { exec: { argv: ['true'] } } }).ready).toEqual({
    exec: { argv: ['true'], ...pace },
  });
  const spec = specOf({ ports: [http], ready: { http: { port: 'http', failures: 1 } } });
  expect(spec.ready).toEqual({ http: { port: 'http', path: '/', ...pace, failures: 1 } });
  expect(spec.ports).toEqual([{ name: 'http', target: null, port: null, protocol: 'tcp' }]);
  expect(specOf({}).ports).toBeUndefined();
  expect(specOf({ ...spec, name: null }).ready).toEqual(spec.ready);
});

const many = Array.from({ length: portsMax + 1 }, (_, at) => ({ name: `p${at}` }));

test.each([
  ['two ways', { ready: { afterSeconds: 1, exec: { argv: ['x'] } } }, '/ready'],
  ['no words', { ready: { exec: { argv: [] } } }, '/ready/exec/argv'],
  ['a port that it has not', { ready: { http: { port: 'http' } } }, '/ready/http/port'],
  [
    'a port that answers no http',
    { ports: [{ ...http, protocol: 'udp' }], ready: { http: { port: 'http' } } },
    '/ready/http/port',
  ],
  [
    'a path that is more than one line',
    { ports: [http], ready: { http: { port: 'http', path: '/ HTTP/1.1\r\nx: y' } } },
    '/ready/http/path',
  ],
  [
    'an address elsewhere',
    { ports: [http], ready: { http: { port: 'http', path: 'http://elsewhere/' } } },
    '/ready/http/path',
  ],
  ['a name twice', { ports: [http, http] }, '/ports/1/name'],
  [
    'a number twice',
    {
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 80 },
      ],
    },
    '/ports/1/port',
  ],
  ['a name that is no variable', { ports: [{ name: 'a=b' }] }, '/ports/0/name'],
  ['a port that there is not', { ports: [{ ...http, port: 65_536 }] }, '/ports/0/port'],
  ['a target of a process', { ports: [{ ...http, target: 80 }] }, '/ports/0/target'],
  ['too many', { ports: many }, '/ports'],
  ['ports of nothing', { run: { simulate: {} }, ports: [http] }, '/ports'],
  ['a question to nothing', { run: { simulate: {} }, ready: { exec: { argv: ['x'] } } }, '/ready'],
  ['ports of a job that ends', { kind: 'batch', ports: [http] }, '/ports'],
])('%s is refused with its place', (_what, body, pointer) => {
  const checked = checkBody(jobBodySchema, { ...web, ...body });
  expect(checked.ok ? [] : checked.errors.map((it) => it.pointer)).toContain(pointer);
});

test('the same number of two protocols is two ports, and a container has a target', () => {
  const ports = [
    { name: 'dns', target: 53, port: 5_353, protocol: 'udp' },
    { name: 'dns-tcp', target: 53, port: 5_353, protocol: 'tcp' },
  ];
  expect(specOf({ run: nginx, ports }).ports).toEqual(ports);
});
