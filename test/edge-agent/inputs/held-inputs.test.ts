import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { bitsOf, says } from '../../../core/files/held-files.ts';
import { heldFilesMax } from '../../../core/files/limits.ts';
import { openHeldInputs } from '../../../edge-agent/inputs/held-inputs.ts';

const digest = (at: number): string => createHash('sha256').update(String(at)).digest('hex');

test('what was used last and is still here is in the text, and nothing when nothing is', () => {
  const here = new Set<string>();
  const held = openHeldInputs((one) => here.has(one));
  const tells = (at: number): boolean => says(held.text(), bitsOf(digest(at)));
  expect(held.text()).toBeNull();
  held.used([digest(1), digest(2)]);
  expect(held.text()).toBeNull();
  for (const at of [1, 2]) here.add(digest(at));
  held.used([digest(1), digest(2)]);
  expect([tells(1), tells(2), tells(3)]).toEqual([true, true, false]);
  here.delete(digest(1));
  expect([tells(1), tells(2)]).toEqual([false, true]);
});

test('of too many the one that was used longest ago is left out', () => {
  const held = openHeldInputs(() => true);
  for (let at = 0; at < heldFilesMax; at++) held.used([digest(at)]);
  held.used([digest(0)]);
  held.used([digest(heldFilesMax)]);
  const tells = (at: number): boolean => says(held.text(), bitsOf(digest(at)));
  expect([tells(0), tells(1), tells(2), tells(heldFilesMax)]).toEqual([true, false, true, true]);
});
