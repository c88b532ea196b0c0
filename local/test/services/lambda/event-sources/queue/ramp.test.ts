/** How many batches of a queue are in work at once. */
import { expect, test } from 'vitest';
import { concurrencyRamp } from '../../../../../services/lambda/event-sources/queue/ramp.ts';

test('starts with five, adds three hundred a minute while there is more, up to the maximum', () => {
  const ramp = concurrencyRamp(24);
  expect(ramp.limit).toBe(5);
  ramp.pressed(10_000);
  expect(ramp.limit).toBe(5);
  ramp.pressed(10_199);
  expect(ramp.limit).toBe(5);
  ramp.pressed(10_200);
  expect(ramp.limit).toBe(6);
  ramp.pressed(11_000);
  expect(ramp.limit).toBe(10);
  ramp.pressed(60_000);
  expect(ramp.limit).toBe(24);
});

test('goes back to five when the queue is empty', () => {
  const ramp = concurrencyRamp(24);
  ramp.pressed(0);
  ramp.pressed(2_000);
  expect(ramp.limit).toBe(15);
  ramp.relax();
  expect(ramp.limit).toBe(5);
  ramp.pressed(100_000);
  expect(ramp.limit).toBe(5);
});

test('stays under a smaller maximum', () => {
  const ramp = concurrencyRamp(2);
  ramp.pressed(0);
  ramp.pressed(60_000);
  expect(ramp.limit).toBe(2);
});
