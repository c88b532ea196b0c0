/**
 * Runs tools and test projects one after the other or side by side, keeps count, and closes with
 * one line that says how it went. A run that fails without naming a test (it did not load, it was
 * killed) counts as one failure: silence is not success.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { node, root, toolEnvironment } from './repository.mjs';

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');

export function startTally() {
  const tally = { passed: 0, failed: 0, skipped: 0, skips: [] };
  const reports = mkdtempSync(join(tmpdir(), 'edgewise-reports-'));
  let number = 0;
  return {
    /** `npx vitest run` with these words. */
    vitest: async (title, words, { env = {}, timeoutMs } = {}) => {
      const report = join(reports, `${number++}.json`);
      const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
      const outcome = await run(title, [vitest, 'run', ...reporters, ...words], { env, timeoutMs });
      add(tally, readReport(report), outcome);
      console.log(`${outcome.code === 0 ? 'ok    ' : 'FAILED'} ${title} (${outcome.seconds} s)`);
      return outcome.code === 0;
    },
    /** A tool that is right or wrong as a whole, or counts by itself; shown when it is wrong. */
    tool: async (title, words, { env = {}, timeoutMs } = {}) => {
      const outcome = await run(title, words, { env, timeoutMs, quiet: true });
      const counts = readClosingLine(outcome.text);
      add(tally, counts, outcome);
      if (outcome.code === 0 && counts === null) tally.passed++;
      if (outcome.code !== 0) console.log(outcome.text.trimEnd());
      console.log(`${outcome.code === 0 ? 'ok    ' : 'FAILED'} ${title} (${outcome.seconds} s)`);
      return outcome.code === 0;
    },
    leaveOut: (title, reason) => {
      tally.skipped++;
      tally.skips.push(`${title}: ${reason}`);
      console.log(`skip   ${title}: ${reason}`);
    },
    /** The closing line, and the exit code that goes with it. */
    close: () => {
      rmSync(reports, { recursive: true, force: true });
      for (const skip of tally.skips) console.log(`skipped ${skip}`);
      const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : '';
      console.log(`${tally.passed} passed, ${tally.failed} failed${skipped}`);
      process.exitCode = tally.failed > 0 || tally.passed === 0 ? 1 : 0;
    },
  };
}

function add(tally, report, outcome) {
  const counts = report ?? { passed: 0, failed: 0, skipped: 0 };
  tally.passed += counts.passed;
  tally.skipped += counts.skipped;
  tally.failed += outcome.code === 0 ? counts.failed : Math.max(1, counts.failed);
}

function readClosingLine(text) {
  const line = /(\d+) passed, (\d+) failed/.exec(text.trimEnd().split('\n').at(-1) ?? '');
  return line === null ? null : { passed: Number(line[1]), failed: Number(line[2]), skipped: 0 };
}

function readReport(path) {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
    };
  } catch {
    return null;
  }
}

function run(title, words, { env, timeoutMs, quiet = false }) {
  const startMs = Date.now();
  const child = spawn(node, words, {
    cwd: root,
    detached: true,
    env: toolEnvironment(env),
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
  });
  const end = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // Gone already.
    }
  };
  const interrupted = () => {
    end('SIGTERM');
    process.exit(130);
  };
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => end('SIGKILL'), timeoutMs);
  let text = '';
  for (const stream of quiet ? [child.stdout, child.stderr] : []) {
    stream.on('data', (part) => {
      text += part;
    });
  }
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      process.off('SIGINT', interrupted);
      process.off('SIGTERM', interrupted);
      const seconds = ((Date.now() - startMs) / 1_000).toFixed(1);
      if (signal !== null) console.log(`${title} was ended by ${signal} after ${seconds} s`);
      resolve({ code: code ?? 1, seconds, text });
    });
  });
}
