import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** The tally as the commands use it: what it prints last, and how it ends. */
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-tally-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const scripts = join(import.meta.dirname, '..', '..', '..', 'scripts');

function run(steps: string): { status: number | null; lines: string[] } {
  const words = [
    `import { runTally } from '${join(scripts, 'checks', 'test-runs.mjs')}';`,
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

test('a step on the way that has the same name is no proof', () => {
  const { lines } = run(`await tally.time('packages', () => 1); ${tool('packages', '')}`);
  expect(lines.join('\n')).not.toContain('earlier in this run');
  expect(lines.at(-1)).toBe('1 passed, 0 failed');
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

/** Test files outside of the repository: some fail once, some always, and one never. */
function testFiles(kinds: readonly ('once' | 'always' | 'never')[]): string {
  const once = `existsSync(mark) || (writeFileSync(mark, ''), false)`;
  const conditions = { once, always: 'false', never: 'true' };
  for (const [at, kind] of kinds.entries()) {
    const words = [
      `import { existsSync, writeFileSync } from 'node:fs';`,
      `const mark = ${JSON.stringify(join(directory, `mark-${at}`))};`,
      `test('its name', () => expect(${conditions[kind]}).toBe(true));`,
      `test('its neighbour', () => {});`,
    ];
    writeFileSync(join(directory, `file-${at}.test.mjs`), words.join('\n'));
  }
  writeFileSync(
    join(directory, 'vitest.config.mjs'),
    'export default { test: { globals: true } };',
  );
  const words = ['--root', directory];
  return `await tally.vitest('flows', ${JSON.stringify(words)}, { runsAgain: true });`;
}

test('what fails in few files runs again: it is named, and counts as what it was then', () => {
  const { status, lines } = run(testFiles(['once', 'never', 'never']));
  expect(lines.at(-1)).toBe('6 passed, 0 failed');
  expect(status).toBe(0);
  const unsteady = lines.filter((line) => line.startsWith('unsteady'));
  expect(unsteady).toHaveLength(1);
  expect(unsteady[0]).toMatch(/file-0\.test\.mjs: its name$/);
});

test('what fails twice, and what fails in many files, has failed', () => {
  const twice = run(testFiles(['always', 'once', 'never']));
  expect(twice).toMatchObject({ status: 1 });
  expect(twice.lines.at(-1)).toBe('5 passed, 1 failed');
  expect(twice.lines.filter((line) => line.startsWith('unsteady'))).toHaveLength(1);
  rmSync(directory, { recursive: true });
  directory = mkdtempSync(join(tmpdir(), 'edgewise-tally-'));
  const many = run(testFiles(['once', 'once', 'once']));
  expect(many).toMatchObject({ status: 1 });
  expect(many.lines.at(-1)).toBe('3 passed, 3 failed');
});

test('a run with more unsteady tests than a few fails, also when others found them', () => {
  const line = 'unsteady (failed, and passed when it ran again): file: name';
  const counts = (): string =>
    `console.log(${JSON.stringify(line)}); console.log("1 passed, 0 failed")`;
  const few = run([1, 2, 3, 4].map((n) => tool(`tool ${n}`, counts())).join(''));
  expect(few).toMatchObject({ status: 0 });
  const more = run(tool('tool 5', counts()));
  expect(more).toMatchObject({ status: 1 });
  expect(more.lines.at(-1)).toBe('5 passed, 1 failed');
});
