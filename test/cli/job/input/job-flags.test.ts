import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../../../cli/input/arguments.ts';
import { buildJob, type JobBody, type JobFlagValues } from '../../../../cli/job/input/job-flags.ts';
import { command } from '../../../../cli/job/plan-job.ts';
import { jobBodySchema } from '../../../../core/contract/job-body.ts';

function build(words: readonly string[], file: JobBody = {}): JobBody {
  const { flags, rest } = parseArguments(command, words);
  return buildJob(flags as JobFlagValues, rest, file);
}

describe('a job in flags', () => {
  test('only says what was said', () => {
    expect(build(['--power', '403'])).toEqual({ power: 403 });
  });

  test('can say everything that the API takes', () => {
    const words = '--chunk-power 50 --chunks 8 --name n --pool p --queue q --priority 9';
    const more = '--label team=a --edge edge-1 --edge edge-2 --policy pack --max-edges 3';
    const rest = '--attempts 5 --backoff 1 --max-failed 2 --lost-after 60 --offline 30';
    const last = '--deadline 600 --keep-output all --env A=b=c --cwd /tmp --chunk-timeout 5';
    const argv = [words, more, rest, last, '--resource cores=2 -- sh -c true'].join(' ').split(' ');
    const body = build(argv);
    expect(body).toEqual({
      chunkPower: 50,
      chunks: 8,
      name: 'n',
      pool: 'p',
      queue: 'q',
      priority: 9,
      labels: { team: 'a' },
      requires: { edges: ['edge-1', 'edge-2'] },
      placement: { policy: 'pack', maxEdges: 3 },
      retries: { attempts: 5, backoffSeconds: 1, maxFailedChunks: 2 },
      lostAfterSeconds: 60,
      offlineSeconds: 30,
      deadlineSeconds: 600,
      keepOutput: 'all',
      resources: { cores: 2 },
      run: {
        process: { argv: ['sh', '-c', 'true'], env: { A: 'b=c' }, cwd: '/tmp', timeoutSeconds: 5 },
      },
    });
    expect(jobBodySchema.safeParse(body).error).toBeUndefined();
  });

  test.each([
    ['site=north', { labels: { site: 'north' } }],
    ['os.version>=5.10', { expressions: [{ key: 'os.version', op: '>=', value: '5.10' }] }],
    ['facts.arch=arm64', { expressions: [{ key: 'facts.arch', op: '=', value: 'arm64' }] }],
    [
      'facts.arch=arm64,x86_64',
      { expressions: [{ key: 'facts.arch', op: 'in', value: ['arm64', 'x86_64'] }] },
    ],
    [
      'site!=north,south',
      { expressions: [{ key: 'site', op: 'notIn', value: ['north', 'south'] }] },
    ],
    ['gpu', { expressions: [{ key: 'gpu', op: 'exists' }] }],
    ['!gpu', { expressions: [{ key: 'gpu', op: 'notExists' }] }],
    ['cores > 4', { expressions: [{ key: 'cores', op: '>', value: '4' }] }],
  ])('--require %s', (word, requires) => {
    const body = build(['--power', '1', '--require', word]);
    expect(body.requires).toEqual(requires);
    expect(jobBodySchema.safeParse(body).error).toBeUndefined();
  });

  test.each(['constructor', '__proto__', 'toString'])('nothing called %s is lost', (name) => {
    const pairs = ['--label', '--require', '--env', '--resource'].flatMap((flag) => [
      flag,
      `${name}=3`,
    ]);
    const body = build(['--power', '1', ...pairs, '--', 'true']) as Record<string, object>;
    const sent = JSON.parse(JSON.stringify(body));
    const { env } = sent.run.process;
    for (const table of [sent.labels, sent.requires.labels, env, sent.resources]) {
      expect(Object.keys(table)).toEqual([name]);
    }
  });

  test.each(['=x', '>=5', 'a b'])('--require %j is refused', (word) => {
    expect(() => build(['--power', '1', '--require', word])).toThrow('--require');
  });

  test('a flag replaces the same field of the file, and power the other power', () => {
    const file = { chunkPower: 5, chunks: 3, labels: { a: '1', b: '2' }, name: 'old' };
    expect(build(['--power', '9', '--name', 'new', '--label', 'b=3'], file)).toEqual({
      power: 9,
      chunks: 3,
      labels: { a: '1', b: '3' },
      name: 'new',
    });
  });

  test.each([
    [['--power', '1', '--', 'true'], { process: { argv: ['true'] } }],
    [['--power', '1', '--slurm', '--', 'true'], { slurm: { argv: ['true'] } }],
    [['--power', '1', '--flux', '--', 'true'], { flux: { argv: ['true'] } }],
    [
      ['--power', '1', '--image', 'alpine', '--', 'ls'],
      { container: { image: 'alpine', argv: ['ls'] } },
    ],
    [['--power', '1', '--seconds', '0.5'], { simulate: { seconds: 0.5 } }],
  ])('%j runs so', (words, run) => expect(build(words).run).toEqual(run));

  test.each([
    [['--power', '1', '--env', 'A=b'], '--env needs a program'],
    [['--power', '1', '--slurm', '--flux', '--', 'x'], 'cannot both be given'],
    [['--power', '1', '--seconds', '1', '--', 'x'], '--seconds simulates'],
    [['--power', '1', '--resource', 'cores=many'], 'not an amount'],
  ])('%j is refused', (words, sentence) => expect(() => build(words)).toThrow(sentence));
});
