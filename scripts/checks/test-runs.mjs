/**
 * Runs tools and test projects one after the other or side by side, keeps count and time, and
 * closes with one line that says how it went. A run that fails without naming a test (it did not
 * load, it was killed) counts as one failure: silence is not success.
 *
 * With EDGEWISE_TALLY two commands count into one file: the second goes on from the first, and does
 * not repeat what that has passed.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { runTool } from '../process/run-tool.mjs';
import { endWith, root } from '../repository.mjs';
import { engines } from './engine-suite.mjs';
import { filesToRunAgain, joinRuns, unsteadyMax } from './second-run.mjs';

/** @import { Report } from './counting-reporter.mjs' */

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
/** Sources are made ready to run once for all workers and runs. `npm ci` takes it away. */
const compiled = join(root, 'node_modules', '.cache', 'edgewise', 'compiled');
const reporter = join(root, 'scripts', 'checks', 'counting-reporter.mjs');

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/**
 * Only what is judged can have passed; the others are on the way.
 *
 * @typedef {{ title: string, ok: boolean, seconds: string, isJudged: boolean }} Step
 */
/** @typedef {{ env?: NodeJS.ProcessEnv, timeoutMs?: number }} RunOptions */
/**
 * `runsAgain`: its tests start processes, and what fails in a few files has a second run.
 *
 * @typedef {RunOptions & { runsAgain?: boolean }} VitestOptions
 */
/** @typedef {Readonly<Record<string, number>>} PassedByFile */

/**
 * @typedef {object} Score
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string[]} skips
 * @property {Step[]} steps
 * @property {string[]} unsteady Tests that failed first and passed then.
 * @property {Record<string, PassedByFile>} passedOn
 */

/**
 * Runs this with a tally and closes it, also when a step of the way throws.
 *
 * @param {(tally: Tally) => Promise<unknown>} act
 */
export async function runTally(act) {
  const tally = new Tally();
  try {
    await act(tally);
  } catch (error) {
    endWith(error);
    tally.fail();
  }
  tally.close();
}

/**
 * Vitest runs what it finds of the files that it is given, and says nothing of the others: one that
 * was moved would be left out in silence.
 *
 * @param {string} word
 */
const isTestPath = (word) => /^(local\/)?test\//.test(word);
/** @param {string} path Whole, or how a path begins. */
function isThere(path) {
  const folder = join(root, dirname(path));
  const begins = (/** @type {string} */ name) => name.startsWith(basename(path));
  return existsSync(folder) && readdirSync(folder).some(begins);
}
/** @param {string} path */
const notThere = (path) => `there is no ${path}`;

export class Tally {
  #file = process.env.EDGEWISE_TALLY;
  #score = readScore(this.#file);
  #reports = mkdtempSync(join(tmpdir(), 'edgewise-reports-'));
  #startMs = Date.now();
  #reportsMade = 0;

  /**
   * `npx vitest run` with these words.
   *
   * @param {string} title
   * @param {readonly string[]} words
   * @param {VitestOptions} options
   */
  async vitest(title, words, { runsAgain = false, ...options } = {}) {
    if (this.#hasPassed(title)) return true;
    const gone = words.filter((word) => isTestPath(word) && !isThere(word));
    if (gone.length > 0) return this.compare(title, gone.map(notThere));
    let { report, outcome } = await this.#vitestOnce(title, words, options);
    const files = runsAgain && outcome.code !== 0 ? filesToRunAgain(report) : null;
    if (files !== null) {
      console.log(`again  ${title}: ${files.join(' ')}`);
      const flags = words.filter((word) => !isTestPath(word));
      const second = await this.#vitestOnce(title, [...flags, ...files], options);
      const both = joinRuns(report, second.report);
      this.#score.unsteady.push(...both.unsteady);
      report = both;
      outcome = { ...second.outcome, seconds: sumOf(outcome, second.outcome) };
    }
    const engine = options.env?.EDGEWISE_DATABASE ?? process.env.EDGEWISE_DATABASE ?? engines[0];
    this.#score.passedOn[engine] = { ...this.passedOn(engine), ...report.files };
    this.#score.skips.push(...report.skips.map((skip) => `${title}: ${skip}`));
    return this.#end(title, { ...report, skipped: report.skips.length }, outcome);
  }

  /** @param {string} title @param {readonly string[]} words @param {RunOptions} options */
  async #vitestOnce(title, words, { env = {}, timeoutMs }) {
    const path = join(this.#reports, `${this.#reportsMade++}.json`);
    const all = [vitest, 'run', '--reporter=default', `--reporter=${reporter}`, ...words];
    const outcome = await runTool(title, all, {
      env: { NODE_COMPILE_CACHE: compiled, ...env, EDGEWISE_REPORT: path },
      timeoutMs,
    });
    return { report: /** @type {Report | null} */ (readJson(path)) ?? unknown, outcome };
  }

  /**
   * A tool that is right or wrong as a whole, or counts by itself; shown when it is wrong.
   *
   * @param {string} title
   * @param {readonly string[]} words
   * @param {RunOptions} options
   */
  async tool(title, words, { env = {}, timeoutMs } = {}) {
    if (this.#hasPassed(title)) return true;
    const outcome = await runTool(title, words, { env, timeoutMs, quiet: true });
    if (outcome.code !== 0) console.log(outcome.text.trimEnd());
    this.#score.unsteady.push(...readUnsteady(outcome.text).map((name) => `${title}: ${name}`));
    return this.#end(title, readClosingLine(outcome.text), outcome);
  }

  /**
   * How many tests of each file have passed on this database engine.
   *
   * @param {string} engine
   */
  passedOn(engine) {
    return this.#score.passedOn[engine] ?? {};
  }

  /**
   * Something that is right when nothing speaks against it.
   *
   * @param {string} title
   * @param {readonly string[]} objections
   */
  compare(title, objections) {
    for (const objection of objections) console.log(objection);
    return this.#end(title, null, { code: objections.length > 0 ? 1 : 0, seconds: '0.0' });
  }

  /**
   * A step on the way that is no test.
   *
   * @template T
   * @param {string} title
   * @param {() => T | Promise<T>} act
   */
  async time(title, act) {
    const fromMs = Date.now();
    const result = await act();
    const seconds = secondsSince(fromMs);
    this.#score.steps.push({ title, ok: true, seconds, isJudged: false });
    return result;
  }

  /** @param {string} title @param {string} reason */
  leaveOut(title, reason) {
    this.#score.skipped++;
    this.#score.skips.push(`${title}: ${reason}`);
    console.log(`skip   ${title}: ${reason}`);
  }

  fail() {
    this.#score.failed++;
  }

  /** The times, what was left out, the closing line, and the exit code that goes with it. */
  close() {
    rmSync(this.#reports, { recursive: true, force: true });
    const { unsteady } = this.#score;
    if (unsteady.length > unsteadyMax) this.fail();
    const { passed, failed, skipped, steps, skips } = this.#score;
    console.log('');
    for (const { title, ok, seconds } of steps) {
      console.log(`${String(seconds).padStart(7)} s  ${ok ? '' : 'FAILED '}${title}`);
    }
    console.log(`${secondsSince(this.#startMs).padStart(7)} s  in all`);
    for (const skip of skips) console.log(`skipped ${skip}`);
    for (const test of unsteady) console.log(`${unsteadyMark}${test}`);
    if (unsteady.length > unsteadyMax) console.log(`More than ${unsteadyMax} tests were unsteady.`);
    const left = skipped > 0 ? `, ${skipped} skipped` : '';
    console.log(`${passed} passed, ${failed} failed${left}`);
    if (this.#file !== undefined) writeFileSync(this.#file, JSON.stringify(this.#score));
    process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
  }

  /** @param {string} title */
  #hasPassed(title) {
    const before = this.#score.steps.some((step) => {
      return step.title === title && step.ok && step.isJudged;
    });
    if (before) console.log(`passed ${title}, earlier in this run`);
    return before;
  }

  /**
   * @param {string} title
   * @param {Counts | null} counts
   * @param {{ code: number, seconds: string }} outcome
   */
  #end(title, counts, { code, seconds }) {
    const ok = code === 0;
    const score = this.#score;
    const { passed, failed, skipped } = counts ?? { passed: ok ? 1 : 0, failed: 0, skipped: 0 };
    score.passed += passed;
    score.skipped += skipped;
    score.failed += ok ? failed : Math.max(1, failed);
    score.steps.push({ title, ok, seconds, isJudged: true });
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${title} (${seconds} s)`);
    return ok;
  }
}

/** @param {string | undefined} file @returns {Score} */
function readScore(file) {
  const before = file === undefined ? null : /** @type {Score | null} */ (readJson(file));
  const nothing = { passed: 0, failed: 0, skipped: 0, skips: [], unsteady: [], steps: [] };
  return before ?? { ...nothing, passedOn: {} };
}

const unsteadyMark = 'unsteady (failed, and passed when it ran again): ';

/** What a command that counts by itself found unsteady. @param {string} text */
function readUnsteady(text) {
  const marked = text.split('\n').filter((line) => line.startsWith(unsteadyMark));
  return marked.map((line) => line.slice(unsteadyMark.length));
}

/** Without a report nothing is known to have passed. @type {Report} */
const unknown = { passed: 0, failed: 1, skips: [], files: {}, failures: {} };

/** @param {string} text @returns {Counts | null} */
function readClosingLine(text) {
  const line = /(\d+) passed, (\d+) failed/.exec(text.trimEnd().split('\n').at(-1) ?? '');
  return line === null ? null : { passed: Number(line[1]), failed: Number(line[2]), skipped: 0 };
}

/** @param {string} path @returns {unknown} */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** @param {{ seconds: string }[]} outcomes */
const sumOf = (...outcomes) =>
  outcomes.reduce((sum, { seconds }) => sum + Number(seconds), 0).toFixed(1);

/** @param {number} fromMs */
function secondsSince(fromMs) {
  return ((Date.now() - fromMs) / 1_000).toFixed(1);
}
