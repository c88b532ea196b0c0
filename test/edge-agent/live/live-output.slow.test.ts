import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { liveBacklogBytesMax } from '../../../core/live/limits.ts';
import { outputTailBytesMax } from '../../../core/model/limits.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import { has } from '../../../core/model/ranges.ts';
import { waitUntil } from '../../wait-until.ts';
import { AgentStage } from '../agent-stage.ts';

/** Output that is followed while it is printed, by the agent as it runs, on either launcher. */
let stage: AgentStage;
let controlPlane: AgentStage['controlPlane'];
beforeEach(async () => {
  stage = await AgentStage.open();
  controlPlane = stage.controlPlane;
});
afterEach(async () => {
  delete process.env.EDGEWISE_LAUNCHER;
  await stage.close();
});

function printing(script: string, keepOutput = 'failed'): void {
  const argv = ['/bin/sh', '-c', script];
  const run = { process: { argv, env: { MARKS: stage.path }, cwd: null, timeoutSeconds: null } };
  controlPlane.addJob('job-a', { chunks: 1, chunkPower: 1, run, keepOutput });
  stage.start();
  controlPlane.grant('edge-1', 'job-a', '0', 1);
}

const untilSeconds = (): string => Math.ceil(Date.now() / 1_000 + 60).toString(36);
const wish = (): void => {
  controlPlane.shadows.desire('edge-1', 'work', { l: `job-a:0:${untilSeconds()}` });
};
const isRunning = (): boolean => {
  const job = controlPlane.reports.at(-1)?.jobs.get(jobIdOf('job-a'));
  return job !== undefined && has(job.running, 0);
};
const parts = () => controlPlane.outputParts;
const text = () => Buffer.concat(parts().map(({ bytes }) => bytes)).toString();

/** Each part begins where the one before it ended. */
function expectWhole(begin: number): void {
  let at = begin;
  for (const { offset, bytes } of parts()) {
    expect(offset).toBe(at);
    at += bytes.length;
  }
}

/** Less by the rest of a character at most. */
const tailBytesMin = outputTailBytesMax - 3;

const launchers = ['native', 'plain'];

test.each(launchers)('what is printed is sent while somebody looks (%s)', async (launcher) => {
  process.env.EDGEWISE_LAUNCHER = launcher;
  printing('i=0; while [ $i -lt 40 ]; do echo "line $i"; i=$((i+1)); sleep 0.05; done');
  await controlPlane.until(isRunning, 'it runs');
  expect(parts()).toEqual([]);
  wish();
  await controlPlane.until(() => parts().length > 0, 'the first part came');
  expect(text()).toContain('line 0\n');
  await controlPlane.until(() => parts().some(({ isLast }) => isLast), 'the end came');
  expectWhole(0);
  expect(text()).toBe(Array.from({ length: 40 }, (_, at) => `line ${at}\n`).join(''));
  // The job keeps it only of what failed.
  expect(controlPlane.outputs.size).toBe(0);
});

test.each(launchers)('of what was printed before the end of it is sent (%s)', async (launcher) => {
  process.env.EDGEWISE_LAUNCHER = launcher;
  const script = [
    'head -c 6000000 /dev/zero | tr "\\0" a; : > "$MARKS/printed"',
    'while [ ! -e "$MARKS/go" ]; do sleep 0.05; done; printf end',
  ].join('\n');
  printing(script);
  await waitUntil(() => existsSync(join(stage.path, 'printed')));
  wish();
  // Of more than a launcher leaves in a file its tail is there, and all that came since.
  const sent = () => parts().reduce((all, { bytes }) => all + bytes.length, 0);
  await controlPlane.until(() => sent() >= tailBytesMin, 'what there is was sent');
  writeFileSync(join(stage.path, 'go'), '');
  await controlPlane.until(() => parts().some(({ isLast }) => isLast), 'the end came');
  const begin = parts()[0]!.offset;
  expect(begin).toBeGreaterThanOrEqual(6_000_000 - liveBacklogBytesMax);
  expectWhole(begin);
  expect(begin + sent()).toBe(6_000_003);
  expect(text().slice(-4)).toBe('aend');
});

test.each(launchers)('what nobody keeps is followed like any other (%s)', async (launcher) => {
  process.env.EDGEWISE_LAUNCHER = launcher;
  printing('echo one; while [ ! -e "$MARKS/go" ]; do sleep 0.05; done; echo two; exit 1', 'none');
  await controlPlane.until(isRunning, 'it runs');
  wish();
  await controlPlane.until(() => parts().length > 0, 'the first part came');
  writeFileSync(join(stage.path, 'go'), '');
  await controlPlane.until(() => parts().some(({ isLast }) => isLast), 'the end came');
  expect(text()).toBe('one\ntwo\n');
  expect(controlPlane.outputs.size).toBe(0);
});

test('200 KB a second are followed without loss', async () => {
  const line = 'x'.repeat(99);
  const script = `l=${line}; i=0; while [ $i -lt 30 ]; do
    j=0; while [ $j -lt 200 ]; do echo $l; j=$((j+1)); done; i=$((i+1)); sleep 0.1; done`;
  printing(script);
  await controlPlane.until(isRunning, 'it runs');
  wish();
  await controlPlane.until(() => parts().some(({ isLast }) => isLast), 'the end came', 30_000);
  expectWhole(0);
  expect(text().length).toBe(30 * 200 * 100);
});
