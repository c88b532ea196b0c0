import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createQuietLog } from '../lambdas/quiet-log.ts';
import { root, sourceFiles } from '../source-files.ts';
import { removeOutputs, resourcesOf, synthesized } from './synthesized.ts';

/** What functions count in their logs, against the alarms of the template. */
afterAll(removeOutputs);
const { template } = synthesized();
const alarms = [...resourcesOf(template, 'AWS::CloudWatch::Alarm').values()].map(
  ({ Properties }) => Properties,
);
const written = writtenMetric('Any');
const onCounts = alarms.filter(({ Namespace }) => Namespace === written.namespace);

describe('alarms on counts', () => {
  test('watch each metric that a function writes, and none that nobody does', () => {
    const watched = onCounts.map(({ MetricName }) => String(MetricName)).toSorted();
    expect(watched).toEqual([...countedIn('lambdas/')].toSorted());
    expect(watched).toContain('RefusedPlans');
  });

  test('watch what is really written: no unit, and the dimensions of the log line', () => {
    expect(written.dimensions).toEqual([[]]);
    for (const alarm of onCounts) {
      expect(alarm.Dimensions).toBeUndefined();
      expect(alarm.Unit).toBeUndefined();
      expect(alarm).toMatchObject({ Statistic: 'Sum', Threshold: 0 });
      expect(alarm.ComparisonOperator).toBe('GreaterThanThreshold');
    }
  });

  test('end when nothing is counted any more', () => {
    for (const alarm of onCounts) expect(alarm.TreatMissingData).toBe('notBreaching');
  });

  test('do not call anybody for one pass that failed', () => {
    const parked = onCounts.find(({ MetricName }) => MetricName === 'CellParked');
    expect(parked).toMatchObject({ EvaluationPeriods: 2, Period: 300 });
  });

  test('are explained to who is called', () => {
    const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');
    for (const { MetricName } of onCounts) expect(page).toContain(`### ${MetricName}\n`);
  });
});

/** A metric is one line of the log, in the embedded format. */
function writtenMetric(name: string): { namespace: string; dimensions: unknown } {
  const log = createQuietLog();
  log.metric(name, 1);
  const { CloudWatchMetrics } = log.lines[0]!._aws as {
    CloudWatchMetrics: [{ Namespace: string; Dimensions: unknown }];
  };
  const [{ Namespace, Dimensions }] = CloudWatchMetrics;
  return { namespace: Namespace, dimensions: Dimensions };
}

function countedIn(folder: string): ReadonlySet<string> {
  const files = sourceFiles().filter(({ path }) => path.startsWith(folder));
  const calls = files.flatMap(({ text }) => [...text.matchAll(/\.metric\('(\w+)'/g)]);
  return new Set(calls.map(([, name]) => name!));
}
