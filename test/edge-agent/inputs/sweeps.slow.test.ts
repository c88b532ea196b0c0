import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../wait-until.ts';
import { startAgentProcess } from '../agent-runner.ts';
import { AgentStage } from '../agent-stage.ts';

/** Chunks with parameters of their own, also where nobody can be asked for them any more. */
let stage: AgentStage;
beforeEach(async () => {
  stage = await AgentStage.open();
});
afterEach(() => stage.close());

const chunks = 6;
const at = (name: string): string => join(stage.path, name);
const linesOf = (name: string): string[] =>
  existsSync(at(name)) ? readFileSync(at(name), 'utf8').split('\n').slice(0, -1) : [];
const numbers = Array.from({ length: chunks }, (_, chunk) => chunk);

/** Each says its parameters when it begins, and again when it is let through. */
function giveSweep(): void {
  const { controlPlane } = stage;
  const own = '$EDGEWISE_CHUNK $EDGEWISE_PARAM_COLOUR {colour}';
  const wait = 'while [ ! -e "$GATE" ]; do sleep 0.05; done';
  const script = `echo ${own} >> "$BEGUN"; ${wait}; echo ${own} >> "$ENDED"`;
  const argv = ['/bin/sh', '-c', script];
  const env = { BEGUN: at('begun'), ENDED: at('ended'), GATE: at('gate') };
  const run = { process: { argv, env, cwd: null, timeoutSeconds: null } };
  const sets = numbers.map((chunk) => ({ colour: `colour-${chunk}` }));
  controlPlane.parameters.set('job-a', sets);
  controlPlane.addJob('job-a', { chunks, run, sweep: true });
  controlPlane.grant('edge-1', 'job-a', `0-${chunks - 1}`, 2);
}
const said = numbers.map((chunk) => `${chunk} colour-${chunk} colour-${chunk}`);

test('an agent that was killed goes on with a sweep while the API is away', async () => {
  const { controlPlane } = stage;
  const options = stage.options({ executors: ['process'], transport: 'http' });
  const first = startAgentProcess(options);
  giveSweep();
  await waitUntil(() => linesOf('begun').length === 2);
  controlPlane.setHttpDown(true);
  await first.kill();
  stage.add(startAgentProcess(options));
  writeFileSync(at('gate'), '');
  await waitUntil(() => linesOf('ended').length === chunks);
  expect(linesOf('ended').sort()).toEqual(said);
  const job = controlPlane.jobs.get('job-a')!;
  expect(job.done.size).toBe(0);
  controlPlane.setHttpDown(false);
  await controlPlane.until(() => job.done.size === chunks, 'all of it is done');
  expect(job.refusals.size).toBe(0);
  const kept = join(options.dataDirectory, 'edges', 'edge-1', 'parameters');
  await waitUntil(() => readdirSync(kept).length === 0);
}, 120_000);

test('each chunk finds the file that its parameters name, at the path that they make', async () => {
  const { controlPlane } = stage;
  const script = 'cat shared tile-$EDGEWISE_CHUNK.txt "$EDGEWISE_PARAM_NAME"; ls | wc -l';
  const argv = ['/bin/sh', '-c', script];
  const run = { process: { argv, env: {}, cwd: null, timeoutSeconds: null } };
  const shared = controlPlane.files.add('shared\n');
  const inputs = [
    { path: 'shared', sha256: shared },
    { path: 'tile-{chunk}.txt', sha256: '{params.tile}' },
    { path: '{name}', sha256: shared },
  ];
  const names = ['north', 'south', '../out', 'east'];
  const sets = names.map((name) => ({ name, tile: controlPlane.files.add(`${name}\n`) }));
  controlPlane.parameters.set('job-a', sets);
  controlPlane.addJob('job-a', { chunks: 4, run, sweep: true, inputs, keepOutput: 'all' });
  stage.start({ executors: ['process'] });
  controlPlane.grant('edge-1', 'job-a', '0-3', 2);
  const job = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(() => controlPlane.outputs.size === 3, 'the outputs arrived');
  for (const [chunk, name] of names.entries()) {
    if (name === '../out') continue;
    // Five with the two directories that every chunk has.
    expect(controlPlane.outputs.get(`job-a/${chunk}`)).toBe(`shared\n${name}\nshared\n5\n`);
  }
  await controlPlane.until(() => job.refusals.has('edge-1'), 'the other one is refused');
  expect(job.refusals.get('edge-1')).toContain('a value makes a path that has a part ".."');
  await controlPlane.until(() => job.done.size === 3, 'the others are done');
  expect([...job.done].sort()).toEqual([0, 1, 3]);
});
