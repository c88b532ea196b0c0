/**
 * `npm run mutate -- --count 20 --seed 1`: draws conditions of the scheduler and of the agent's
 * decisions, changes one at a time in a copy of the repository, and runs the fast tests on each. A
 * change that neither they nor the compiler notice survives and is printed: a test is missing, or
 * the condition is.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutation, mutationsOf } from './mutation/conditions.ts';
import { root } from './repository.mjs';

const subjects = /^(core\/(scheduler|fleet)|edge-agent\/(edge|report))\/.*\.ts$/;
/** Tests of other parts say little about these, and take long. */
const tests = ['test/core', 'test/promises', 'test/edge-agent', 'test/lambdas/workers', 'test/sim'];
/** Most mutants do not get past the tests of their own part, which are asked first. */
const ownTestsOf = (path: string) => [path.startsWith('core/') ? 'test/core' : 'test/edge-agent'];

type Mutant = Mutation & { readonly path: string; readonly line: number };

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    in: { type: 'string', default: '' },
  },
});

function trackedFiles(): string[] {
  const { stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  return stdout.split('\0').filter((path) => path !== '');
}

function mutantsOf(path: string): Mutant[] {
  const source = readFileSync(join(root, path), 'utf8');
  return mutationsOf(path, source).map((mutation) => ({
    ...mutation,
    path,
    line: source.slice(0, mutation.start).split('\n').length,
  }));
}

/** Mulberry32: the same seed draws the same conditions. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function draw<T>(items: readonly T[], count: number, random: () => number): T[] {
  const left = [...items];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) {
    drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return drawn;
}

/** What the tests make of a change: on a busy host an end that does not come proves nothing. */
type Verdict = 'good' | 'killed' | 'endless';

const endlessAfterMs = 900_000;

function judge(copy: string, { path, start, end, after }: Mutant): Verdict {
  const source = readFileSync(join(root, path), 'utf8');
  writeFileSync(join(copy, path), source.slice(0, start) + after + source.slice(end));
  const ownVerdict = runTests(copy, ownTestsOf(path));
  const verdict = ownVerdict === 'good' ? runTests(copy, tests) : ownVerdict;
  const isRefused = verdict === 'good' && !isTyped(copy);
  writeFileSync(join(copy, path), source);
  return isRefused ? 'killed' : verdict;
}

function runTests(copy: string, paths: readonly string[]): Verdict {
  const vitest = join(copy, 'node_modules', 'vitest', 'vitest.mjs');
  const run = spawnSync(
    process.execPath,
    [vitest, 'run', '--project', 'fast', '--bail', '1', '--silent=true', ...paths],
    { cwd: copy, timeout: endlessAfterMs, killSignal: 'SIGKILL', encoding: 'utf8' },
  );
  if (run.status === null) return 'endless';
  return run.status === 0 ? 'good' : 'killed';
}

/** `npm run check` has the compiler, which refuses some conditions as never true. */
function isTyped(copy: string): boolean {
  const compiler = join(copy, 'node_modules', 'typescript', 'bin', 'tsc');
  return spawnSync(process.execPath, [compiler, '-p', copy, '--noEmit']).status === 0;
}

function main(): number {
  const files = trackedFiles();
  const mutants = files
    .filter((path) => subjects.test(path) && path.includes(values.in))
    .flatMap(mutantsOf);
  const drawn = draw(mutants, Number(values.count), randomOf(Number(values.seed)));
  const copy = mkdtempSync(join(tmpdir(), 'edgewise-mutants-'));
  let survivors = 0;
  try {
    for (const path of files) cpSync(join(root, path), join(copy, path));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    if (runTests(copy, tests) !== 'good') throw new Error('The tests fail without any change.');
    for (const mutant of drawn) {
      const verdict = judge(copy, mutant);
      if (verdict === 'good') survivors += 1;
      const word = { good: 'SURVIVED', killed: 'killed  ', endless: 'endless ' }[verdict];
      const place = `${mutant.path}:${mutant.line}`;
      console.log(`${word} ${place}  ${mutant.before} → ${mutant.after}`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  console.log(`${drawn.length} of ${mutants.length} mutants, ${survivors} survived`);
  return survivors === 0 ? 0 : 1;
}

process.exitCode = main();
