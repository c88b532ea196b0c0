import { expect, test } from 'vitest';
import { queueBodySchema } from '../../../core/contract/fleet-body.ts';
import { queueWeightMax, queueWeightMin } from '../../../core/model/limits.ts';

test.each([queueWeightMin, 0.5, 1, queueWeightMax])('a queue may weigh %d', (weight) => {
  expect(queueBodySchema.parse({ weight }).weight).toBe(weight);
});

/** DynamoDB keeps 38 digits between 1E-130 and 9.9E+125, and refuses a whole write for less. */
test.each([0, -1, 1e-300, 1e-131, queueWeightMin / 2, 1e300])('no queue weighs %d', (weight) => {
  expect(queueBodySchema.safeParse({ weight }).success).toBe(false);
});
