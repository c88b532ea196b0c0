import { expect, test } from 'vitest';
import { makeContact } from '../../../edge-agent/edge/last-contact.ts';
import type { Clock } from '../../../edge-agent/host/clock.ts';

/** Time passes for both clocks; the one on the wall may be set besides. */
function stage(rememberedAgoMs: number | null = null) {
  let [wallMs, measuredMs] = [1_000_000, 50];
  const clock: Clock = {
    nowMs: () => wallMs,
    monotonicMs: () => measuredMs,
    after: () => () => {},
  };
  const written: number[] = [];
  const remembered = rememberedAgoMs === null ? null : wallMs - rememberedAgoMs;
  const contact = makeContact(clock, remembered, (atMs) => written.push(atMs));
  return {
    contact,
    agoMs: () => wallMs - contact.lastMs(),
    writtenAgoMs: () => wallMs - written.at(-1)!,
    pass(ms: number) {
      wallMs += ms;
      measuredMs += ms;
    },
    setClock(byMs: number) {
      wallMs += byMs;
    },
  };
}

test('without a link the time since the last contact grows', () => {
  const { contact, agoMs, pass } = stage();
  contact.made();
  pass(5_000);
  expect(agoMs()).toBe(0);
  contact.lost(true);
  pass(7_000);
  expect(agoMs()).toBe(7_000);
});

test.each([-600_000, 600_000])('a clock that is set by %i ms changes nothing of it', (byMs) => {
  const { contact, agoMs, writtenAgoMs, pass, setClock } = stage();
  contact.made();
  contact.lost(true);
  pass(20_000);
  setClock(byMs);
  pass(10_000);
  expect(agoMs()).toBe(30_000);
  // A restart reads it by the clock that is right from now on.
  contact.note();
  expect(writtenAgoMs()).toBe(30_000);
});

test('over a restart it goes on from what was written down', () => {
  const { agoMs, pass } = stage(40_000);
  pass(2_000);
  expect(agoMs()).toBe(42_000);
});

test('what was written down by a clock that was ahead is no contact to come', () => {
  expect(stage(-40_000).agoMs()).toBe(0);
});

test('it is written down every fifteen seconds at the most', () => {
  const { contact, pass, writtenAgoMs } = stage();
  contact.made();
  contact.note();
  pass(14_000);
  contact.note();
  expect(writtenAgoMs()).toBe(14_000);
  pass(1_000);
  contact.note();
  expect(writtenAgoMs()).toBe(0);
});
