/**
 * A vitest reporter that writes what `test-runs.mjs` counts: how many passed and failed, and which
 * tests were skipped for which reason. A module that did not load is a failure of its own.
 */
import { writeFileSync } from 'node:fs';

const unnamed = 'what it needs is not on this machine';

export default class CountingReporter {
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: errors.length, skips: [] };
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state, note } = test.result();
        if (state === 'passed') counts.passed++;
        else if (state === 'failed') counts.failed++;
        else counts.skips.push(`${test.fullName}: ${note ?? unnamed}`);
      }
    }
    writeFileSync(process.env.EDGEWISE_REPORT, JSON.stringify(counts));
  }
}
