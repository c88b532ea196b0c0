import { expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { formatRanges } from '../../../core/model/ranges.ts';
import { encodeInstancePorts } from '../../../core/protocol/instance-ports.ts';
import { parseProgressReport } from '../../../core/protocol/progress-report.ts';
import { portsMax } from '../../../core/services/limits.ts';

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

const webPorts = (o: unknown) => {
  const report = parseProgressReport({ e: 1, w: { web: { d: '', a: '0-3', y: '', o } } });
  return report!.jobs.get(jobIdOf('web'))!.ports;
};

test('ports of instances come back as they were sent', () => {
  const given = [
    ['http', 45_001],
    ['web-ui', 80],
  ] as const;
  const ports = new Map([
    [0, new Map(given)],
    [3, new Map([['http', 45_002]])],
  ]);
  expect(webPorts(encodeInstancePorts(ports))).toEqual(ports);
});

test('ports that make no sense are left out, and never more than an instance may have', () => {
  expect(webPorts('0:http=45001,1:http=99999,x:a=1,2:=5,3:A=5,4:-a=1,,5:b=0')).toEqual(
    new Map([[0, new Map([['http', 45_001]])]]),
  );
  const many = Array.from({ length: 3 * portsMax }, (_, at) => `0:p${at}=${at + 1}`).join(',');
  expect(webPorts(many)!.get(0)!.size).toBe(portsMax);
  for (const o of [null, 7, '', 'x'.repeat(10_000)]) expect(webPorts(o)).toBeUndefined();
});

test.each([null, 'x', [], {}, { e: -1 }, { e: 1.5 }, { e: '1' }])('%j is no report', (value) => {
  expect(parseProgressReport(value)).toBeNull();
});
