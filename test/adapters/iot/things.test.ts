import { expect, test } from 'vitest';
import { makeThings } from '../../../adapters/iot/things.ts';

test('the first stage calls things as edges are called', () => {
  const things = makeThings('');
  expect(things.of('edge-10')).toBe('edge-10');
  expect(things.edgeOf('edge-10')).toBe('edge-10');
  expect(things.edgeOf('trial_edge-10')).toBeNull();
});

test('another stage knows its own by their names', () => {
  const things = makeThings('trial_');
  expect(things.of('edge-10')).toBe('trial_edge-10');
  expect(things.edgeOf('trial_edge-10')).toBe('edge-10');
  for (const other of ['edge-10', 'trial-2_edge-10', 'trial_prod_edge-10', 'trial']) {
    expect(things.edgeOf(other), other).toBeNull();
  }
});
