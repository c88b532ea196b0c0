import { expect, test } from 'vitest';
import { isWorkload, serviceOfWorkload } from '../../../cli/service/workload-file.ts';

const pod = (over: object = {}, containers: unknown = [{ name: 'a', image: 'alpine:latest' }]) => {
  return { apiVersion: 'v1', kind: 'Pod', name: 'alpine', spec: { containers }, ...over };
};

test('a pod of one container is a service of its replicas', () => {
  expect(isWorkload(pod())).toBe(true);
  expect(serviceOfWorkload(pod({ replicas: 3 }))).toEqual({
    name: 'alpine',
    chunks: 3,
    run: { container: { image: 'alpine:latest', env: {} } },
  });
  const env = [{ name: 'A', value: '1' }];
  const container = { name: 'a', image: 'x', env };
  expect(serviceOfWorkload(pod({}, [container]))).toMatchObject({
    chunks: 1,
    run: { container: { env: { A: '1' } } },
  });
});

test('its ports are those of the service, one or several', () => {
  const port = { port: 8_080, target_port: 80, protocol: 'TCP', type: 'nodePort' };
  const portsOf = (ports: unknown) => serviceOfWorkload(pod({}, [{ image: 'a', ports }])).ports;
  const http = { name: 'http', port: 8_080, target: 80, protocol: 'tcp' };
  expect(portsOf(port)).toEqual([http]);
  expect(
    portsOf([
      { port: 8_080, targetPort: 80 },
      { targetPort: 53, protocol: 'UDP' },
    ]),
  ).toEqual([http, { name: 'port-1', port: null, target: 53, protocol: 'udp' }]);
  expect(portsOf([])).toBeUndefined();
});

test('several containers are a pod, each with its own', () => {
  const ports = { port: 8_080, targetPort: 80 };
  const env = [{ name: 'A', value: '1' }];
  const containers = [
    { name: 'ubuntu', image: 'ubuntu:latest', ports },
    { name: 'alpine', image: 'alpine:latest', env },
  ];
  expect(serviceOfWorkload(pod({ replicas: 3 }, containers))).toEqual({
    name: 'alpine',
    chunks: 3,
    run: {
      pod: {
        containers: [
          {
            name: 'ubuntu',
            image: 'ubuntu:latest',
            env: {},
            ports: [{ name: 'http', port: 8_080, target: 80, protocol: 'tcp' }],
          },
          { name: 'alpine', image: 'alpine:latest', env: { A: '1' } },
        ],
      },
    },
  });
});

test('a function is a virtual machine', () => {
  const rootfs = 'https://images.example.com/alpine.tar.gz';
  const spec = { containers: [], function: { execution: { rootfs } } };
  const file = { apiVersion: 'v1', kind: 'Function', name: 'mine', replicas: 2, spec };
  expect(serviceOfWorkload(file)).toEqual({ name: 'mine', chunks: 2, run: { vm: { rootfs } } });
  const more = { ...file, spec: { ...spec, function: { execution: { rootfs, memory: 1 } } } };
  expect(() => serviceOfWorkload(more)).toThrow('memory');
});

test('the body of a job is no workload', () => {
  expect(isWorkload({ kind: 'service', run: { process: { argv: ['x'] } } })).toBe(false);
});

test.each<[string, object, string]>([
  ['a function of nothing', pod({ kind: 'Function' }, []), '"rootfs"'],
  ['a function of containers', pod({ kind: 'Function' }), 'no containers'],
  ['another kind', pod({ kind: 'Deployment' }), '"Deployment"'],
  ['a container that is none', pod({}, ['a']), 'no table'],
  ['no container', pod({}, []), 'no container'],
  ['no image', pod({}, [{ name: 'a' }]), 'no image'],
  ['a port that is none', pod({}, [{ image: 'a', ports: [80] }]), 'A port of the workload'],
  ['more of a port', pod({}, [{ image: 'a', ports: { port: 80, to: 1 } }]), 'to'],
  ['a volume', pod({}, [{ image: 'a', volumes: [] }]), 'volumes'],
  ['more of the workload', pod({ affinity: {} }), 'affinity'],
  ['an environment that is none', pod({}, [{ image: 'a', env: [7] }]), 'environment'],
])('%s is refused, and why', (_, file, words) => {
  expect(() => serviceOfWorkload(file as Record<string, unknown>)).toThrow(words);
});
