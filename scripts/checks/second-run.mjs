/**
 * What failed in a few files of tests that start real processes is run once more, and what passes
 * then is named as unsteady: never silent, never for many, and never for tests that only count.
 */

/** @import { Report } from './counting-reporter.mjs' */

/** Files of one step that are run again; more that fail together have a cause. */
const filesMax = 2;
/** Tests of one whole run that may be unsteady. */
export const unsteadyMax = 4;

/**
 * The files to run again; `null` when what happened is not of a few files. A run that was killed
 * or met an error outside of any test has no such report.
 *
 * @param {Report} report
 */
export function filesToRunAgain(report) {
  const files = Object.keys(report.failures);
  const named = files.reduce((sum, file) => sum + (report.failures[file]?.length ?? 0), 0);
  const isOfAFew = files.length > 0 && files.length <= filesMax && named === report.failed;
  return isOfAFew ? files : null;
}

/**
 * The report of both runs: of the files that were run again the second counts. What failed only the
 * first time is unsteady.
 *
 * @param {Report} first
 * @param {Report} second Of `filesToRunAgain(first)`.
 * @returns {Report & { unsteady: string[] }}
 */
export function joinRuns(first, second) {
  const again = Object.keys(first.failures);
  const passedBefore = again.reduce((sum, file) => sum + (first.files[file] ?? 0), 0);
  const unsteady = again.flatMap((file) => {
    const stillFails = new Set(second.failures[file] ?? []);
    const wasRun = second.files[file] !== undefined;
    const names = first.failures[file] ?? [];
    return names
      .filter((name) => wasRun && !stillFails.has(name))
      .map((name) => `${file}: ${name}`);
  });
  const notRun = again.filter((file) => second.files[file] === undefined);
  return {
    passed: first.passed - passedBefore + second.passed,
    failed: second.failed + notRun.length,
    // Those of the files that ran again were counted the first time.
    skips: first.skips,
    files: { ...first.files, ...second.files },
    failures: second.failures,
    unsteady,
  };
}
