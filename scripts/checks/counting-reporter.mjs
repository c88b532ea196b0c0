/**
 * A vitest reporter that writes what `test-runs.mjs` counts: how many passed and failed, how many
 * passed in each file, which failed in which, and which tests were skipped for which reason. A
 * module that did not load is a failure of its own.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from '../repository.mjs';

/** @import { TestModule, TestResult } from 'vitest/node' */

/**
 * @typedef {object} Report
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} skips
 * @property {Record<string, number>} files How many passed.
 * @property {Record<string, string[]>} failures The names of those that failed, by file.
 */

const notLoaded = 'the file itself';
const unnamed = 'what it needs is not on this machine';

export default class CountingReporter {
  /**
   * @param {readonly TestModule[]} modules
   * @param {readonly unknown[]} errors
   */
  onTestRunEnd(modules, errors) {
    /** @type {Report} */
    const counts = { passed: 0, failed: errors.length, skips: [], files: {}, failures: {} };
    for (const module of modules) {
      const failures = module.errors().length > 0 ? [notLoaded] : [];
      const passedBefore = counts.passed;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') counts.passed++;
        else if (result.state === 'failed') failures.push(test.fullName);
        else counts.skips.push(`${test.fullName}: ${noteOf(result) ?? unnamed}`);
      }
      const file = relative(root, module.moduleId).replaceAll('\\', '/');
      counts.files[file] = counts.passed - passedBefore;
      counts.failed += failures.length;
      if (failures.length > 0) counts.failures[file] = failures;
    }
    writeFileSync(process.env.EDGEWISE_REPORT ?? '', JSON.stringify(counts));
  }
}

/** @param {TestResult} result */
function noteOf(result) {
  return 'note' in result ? result.note : undefined;
}
