import { expect, test } from 'vitest';
import type { ProgressReportJson } from '../../../core/protocol/progress-report.ts';
import { makeProgressPatch } from '../../../edge-agent/report/progress-patch.ts';
import type { JsonObject } from '../../../local/services/iot/json.ts';
import { mergeSection, type Stamped } from '../../../local/services/iot/shadow/document.ts';

type Jobs = ProgressReportJson['w'];

const report = (n: number, w: Jobs, q?: readonly string[]): ProgressReportJson => ({
  ...{ b: 'boot', e: 1, n, f: 1, w },
  ...(q !== undefined && { q: [...q] }),
});
const merge = (shadow: Stamped, patch: object): Stamped =>
  mergeSection(shadow, patch as JsonObject, 0)!;
const empty: Stamped = { value: {}, metadata: {} };
const entry = (done: string, failed: Record<string, number> | null = null): Jobs[string] => ({
  ...{ d: done, x: failed, a: '', t: null, m: null, q: null, p: null },
});

test('what a report no longer mentions goes from the shadow, and what it mentions stays', () => {
  const reports = [
    report(1, { 'job-a': entry('0', { 4: 1, 5: 2 }), 'job-b': entry('') }, ['job-c']),
    report(2, { 'job-a': entry('0-1', { 5: 2 }), 'job-c': entry('') }, ['job-d']),
    report(3, { 'job-a': entry('0-2'), 'job-b': entry('1') }),
    report(4, {}),
    report(5, { 'job-b': entry('7', { 1: 1 }) }),
  ];
  const patch = makeProgressPatch();
  let shadow = empty;
  for (const document of reports) {
    shadow = merge(shadow, patch.patch(document));
    patch.settle(document);
    expect(shadow.value).toEqual(withoutNulls(document));
  }
});

test('what may have arrived without an answer is removed, too', () => {
  const patch = makeProgressPatch();
  patch.settle(report(1, {}));
  const lost = report(2, { 'job-a': entry('0', { 4: 1 }) }, ['job-b']);
  let shadow = merge(empty, patch.patch(lost));
  const next = report(3, { 'job-c': entry('') });
  shadow = merge(shadow, patch.patch(next));
  expect(shadow.value).toEqual(withoutNulls(next));
});

test('nothing is nulled that was never there', () => {
  const patch = makeProgressPatch();
  const plain = report(1, { 'job-a': entry('0') });
  patch.settle(plain);
  expect(patch.patch(plain)).toEqual(plain);
  expect(patch.patch(plain)).toEqual(plain);
});

/** As a shadow keeps it. */
function withoutNulls(document: ProgressReportJson): object {
  return JSON.parse(JSON.stringify(document), (_, value) => value ?? undefined);
}
