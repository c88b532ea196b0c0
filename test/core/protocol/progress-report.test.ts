import { expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { formatRanges } from '../../../core/model/ranges.ts';
import { parseProgressReport } from '../../../core/protocol/progress-report.ts';

test('what makes no sense in a report is left out, and the rest of it counts', () => {
  const good = { d: '0-4', a: '5', x: { 6: 3 } };
  const progress = parseProgressReport({
    b: 'boot',
    e: 7,
    n: 3,
    f: 'much',
    w: {
      good,
      text: 'x',
      none: null,
      'no,job': good,
      '': good,
      ranges: { d: '4-1' },
      numbers: { ...good, x: { z: 1, 6: {} } },
    },
  });
  expect([...progress!.jobs.keys()]).toEqual(['good', 'numbers']);
  expect(formatRanges(progress!.jobs.get(jobIdOf('good'))!.done)).toBe('0-4');
  expect([...progress!.jobs.get(jobIdOf('good'))!.failed]).toEqual([[6, 3]]);
  expect(progress!.jobs.get(jobIdOf('numbers'))!.failed.size).toBe(0);
  expect(progress!.freePower).toBe(0);
});

test.each([null, 'x', [], {}, { e: -1 }, { e: 1.5 }, { e: '1' }])('%j is no report', (value) => {
  expect(parseProgressReport(value)).toBeNull();
});
