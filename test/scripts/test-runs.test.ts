import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** The tally as the commands use it: what it prints last, and how it ends. */
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-tally-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const scripts = join(import.meta.dirname, '..', '..', 'scripts');

function run(steps: string): { status: number | null; lines: string[] } {
  const words = [
    `import { runTally } from '${join(scripts, 'test-runs.mjs')}';`,
    `await runTally(async (tally) => { ${steps} });`,
  ];
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', words.join('\n')],
    { encoding: 'utf8', env: { ...process.env, EDGEWISE_TALLY: join(directory, 'tally') } },
  );
  return { status, lines: stdout.trimEnd().split('\n') };
}

const tool = (title: string, code: string): string =>
  `await tally.tool(${JSON.stringify(title)}, ['-e', ${JSON.stringify(code)}]);`;

test('a second command goes on from the first and does not repeat what it passed', () => {
  const first = run(`${tool('good', '')} tally.leaveOut('far', 'no such machine');`);
  expect(first).toMatchObject({ status: 0 });
  expect(first.lines.at(-1)).toBe('1 passed, 0 failed, 1 skipped');
  const second = run(
    tool('good', 'process.exit(1)') + tool('many', 'console.log("7 passed, 0 failed")'),
  );
  expect(second).toMatchObject({ status: 0 });
  expect(second.lines).toContain('passed good, earlier in this run');
  expect(second.lines).toContain('skipped far: no such machine');
  expect(second.lines.at(-1)).toBe('8 passed, 0 failed, 1 skipped');
});

test('what failed in the first command is run again, and stays a failure', () => {
  expect(run(tool('bad', 'process.exit(1)')).lines.at(-1)).toBe('0 passed, 1 failed');
  const second = run(tool('bad', ''));
  expect(second.status).toBe(1);
  expect(second.lines.at(-1)).toBe('1 passed, 1 failed');
});

test('a test file that is not there is a failure, not one file less', () => {
  const words = "['test/scripts/nothing-of-this-name.test.ts']";
  const gone = run(`await tally.vitest('moved', ${words});`);
  expect(gone).toMatchObject({ status: 1 });
  expect(gone.lines.join('\n')).toContain('no test/scripts/nothing-of-this-name.test.ts');
  expect(gone.lines.at(-1)).toBe('0 passed, 1 failed');
});

test('a step that throws, and a run in which nothing ran, are no success', () => {
  const thrown = run(`${tool('good', '')} throw new Error('no');`);
  expect(thrown).toMatchObject({ status: 1 });
  expect(thrown.lines.at(-1)).toBe('1 passed, 1 failed');
  rmSync(join(directory, 'tally'));
  const empty = run('');
  expect(empty).toMatchObject({ status: 1 });
  expect(empty.lines.at(-1)).toBe('0 passed, 0 failed');
});
