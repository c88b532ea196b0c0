import { expect, test } from 'vitest';
import { chunksMax } from '../../../../core/model/limits.ts';
import { instancesMax, seatsPerCell } from '../../../../core/services/limits.ts';
import { chunkOf, numbersMaxOf } from '../../../../lambdas/api/jobs/view/chunk-number.ts';
import { makeSpec } from '../../../core/cell-fixture.ts';

const chunking = { chunks: 7, chunkPower: 1, lastChunkPower: 1 };
const restart = { policy: 'always' as const, backoffSeconds: 1, backoffSecondsMax: 8 };
const service = makeSpec({ restart: { ...restart, resetAfterSeconds: 60 } });
const everywhere = { until: 'forever' as const, onCordoned: false };

test('a number is below those of the job, whatever gives them', () => {
  expect(numbersMaxOf({ chunking, spec: makeSpec() })).toBe(7);
  expect(numbersMaxOf({ chunking, spec: service })).toBe(instancesMax);
  const bound = numbersMaxOf({ chunking, spec: { ...service, everywhere } });
  expect(bound).toBe(chunksMax);
  expect(chunkOf(String(3 * seatsPerCell), bound)).toBe(3_000);
});

test.each(['7', '-1', '01', '1e1', '', ' 1', '99999999999999999999', 'constructor'])(
  'there is no chunk %j',
  (text) => {
    expect(() => chunkOf(text, 7)).toThrow(/0 to 6/);
  },
);
