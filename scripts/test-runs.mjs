/**
 * Runs tools and test projects one after the other or side by side, keeps count and time, and
 * closes with one line that says how it went. A run that fails without naming a test (it did not
 * load, it was killed) counts as one failure: silence is not success.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engines } from './engine-suite.mjs';
import { endWith, root } from './repository.mjs';
import { runTool } from './tool.mjs';

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const reporter = join(root, 'scripts', 'counting-reporter.mjs');

/** Runs this with a tally and closes it, also when a step of the way throws. */
export async function runTally(act) {
  const tally = startTally();
  try {
    await act(tally);
  } catch (error) {
    endWith(error);
    tally.fail();
  }
  tally.close();
}

/**
 * With EDGEWISE_TALLY two commands count into one file: the second goes on from the first, and does
 * not repeat what that has passed.
 */
function startTally() {
  const file = process.env.EDGEWISE_TALLY;
  const nothing = { passed: 0, failed: 0, skipped: 0, skips: [], steps: [], passedOn: {} };
  const tally = (file === undefined ? null : readJson(file)) ?? nothing;
  const reports = mkdtempSync(join(tmpdir(), 'edgewise-reports-'));
  const startMs = Date.now();
  let number = 0;
  const hasPassed = (title) => isPassed(tally, title);
  const end = (title, counts, outcome) => {
    const ok = outcome.code === 0;
    add(tally, counts, ok);
    if (ok && counts === null) tally.passed++;
    tally.steps.push({ title, ok, seconds: outcome.seconds });
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${title} (${outcome.seconds} s)`);
    return ok;
  };
  return {
    /** `npx vitest run` with these words. */
    vitest: async (title, words, { env = {}, timeoutMs } = {}) => {
      if (hasPassed(title)) return true;
      const report = join(reports, `${number++}.json`);
      const all = [vitest, 'run', '--reporter=default', `--reporter=${reporter}`, ...words];
      const outcome = await runTool(title, all, {
        env: { ...env, EDGEWISE_REPORT: report },
        timeoutMs,
      });
      // Without a report nothing is known to have passed.
      const unknown = { passed: 0, failed: 1, skips: [], files: {} };
      const { passed, failed, skips, files } = readJson(report) ?? unknown;
      const engine = env.EDGEWISE_DATABASE ?? process.env.EDGEWISE_DATABASE ?? engines[0];
      tally.passedOn[engine] = { ...tally.passedOn[engine], ...files };
      tally.skips.push(...skips.map((skip) => `${title}: ${skip}`));
      return end(title, { passed, failed, skipped: skips.length }, outcome);
    },
    /** A tool that is right or wrong as a whole, or counts by itself; shown when it is wrong. */
    tool: async (title, words, { env = {}, timeoutMs } = {}) => {
      if (hasPassed(title)) return true;
      const outcome = await runTool(title, words, { env, timeoutMs, quiet: true });
      if (outcome.code !== 0) console.log(outcome.text.trimEnd());
      return end(title, readClosingLine(outcome.text), outcome);
    },
    /** How many tests of each file have passed on this database engine. */
    passedOn: (engine) => tally.passedOn[engine] ?? {},
    /** Something that is right when nothing speaks against it. */
    compare: (title, objections) => {
      for (const objection of objections) console.log(objection);
      return end(title, null, { code: objections.length > 0 ? 1 : 0, seconds: '0.0' });
    },
    /** A step on the way that is no test. */
    time: async (title, act) => {
      const fromMs = Date.now();
      const result = await act();
      tally.steps.push({ title, ok: true, seconds: secondsSince(fromMs) });
      return result;
    },
    leaveOut: (title, reason) => {
      tally.skipped++;
      tally.skips.push(`${title}: ${reason}`);
      console.log(`skip   ${title}: ${reason}`);
    },
    fail: () => {
      tally.failed++;
    },
    /** The times, what was left out, the closing line, and the exit code that goes with it. */
    close: () => {
      rmSync(reports, { recursive: true, force: true });
      report(tally, startMs);
      if (file !== undefined) writeFileSync(file, JSON.stringify(tally));
      process.exitCode = tally.failed > 0 || tally.passed === 0 ? 1 : 0;
    },
  };
}

function report({ steps, skips, passed, failed, skipped }, startMs) {
  console.log('');
  for (const { title, ok, seconds } of steps) {
    console.log(`${String(seconds).padStart(7)} s  ${ok ? '' : 'FAILED '}${title}`);
  }
  console.log(`${secondsSince(startMs).padStart(7)} s  in all`);
  for (const skip of skips) console.log(`skipped ${skip}`);
  const and = skipped > 0 ? `, ${skipped} skipped` : '';
  console.log(`${passed} passed, ${failed} failed${and}`);
}

function isPassed({ steps }, title) {
  const before = steps.find((step) => step.title === title && step.ok);
  if (before !== undefined) console.log(`passed ${title}, earlier in this run`);
  return before !== undefined;
}

function add(tally, counts, ok) {
  const { passed, failed, skipped } = counts ?? { passed: 0, failed: 0, skipped: 0 };
  tally.passed += passed;
  tally.skipped += skipped;
  tally.failed += ok ? failed : Math.max(1, failed);
}

function readClosingLine(text) {
  const line = /(\d+) passed, (\d+) failed/.exec(text.trimEnd().split('\n').at(-1) ?? '');
  return line === null ? null : { passed: Number(line[1]), failed: Number(line[2]), skipped: 0 };
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

function secondsSince(fromMs) {
  return ((Date.now() - fromMs) / 1_000).toFixed(1);
}
