import { expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { codeOfFailure, podFailure } from '../../../core/runs/pod.ts';
import { fillRun, hasTemplates } from '../../../core/sweeps/fill-run.ts';

test('the failure of a pod names its container and keeps the code', () => {
  expect(podFailure('web', 7)).toBe('exit code 7 of web');
  expect([7, podFailure('web', 137), 'timeout', 'exit code 7', null].map(codeOfFailure)).toEqual([
    7,
    137,
    null,
    null,
    null,
  ]);
});

test('each container of a chunk has the words and the parameters of the chunk', () => {
  const of = (name: string) => ({ name, image: 'a', argv: ['{chunk}', '{size}'], env: {} });
  const run = { pod: { containers: [of('web'), of('log')], timeoutSeconds: null } };
  expect(hasTemplates(run)).toBe(true);
  const values = { job: jobIdOf('job'), chunk: 4, parameters: new Map([['size', 'big']]) };
  const filled = fillRun(run, values) as typeof run;
  expect(filled.pod.containers.map(({ name, argv }) => [name, argv])).toEqual([
    ['web', ['4', 'big']],
    ['log', ['4', 'big']],
  ]);
  expect(filled.pod.containers[1]!.env).toMatchObject({ EDGEWISE_PARAMS: '{"size":"big"}' });
});
