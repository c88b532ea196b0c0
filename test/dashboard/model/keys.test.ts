import { describe, expect, test } from 'vitest';
import {
  goKeys,
  type KeyAction,
  noKeys,
  otherKeys,
  pressKey,
} from '../../../dashboard/model/search/keys.ts';
import { hrefOf } from '../../../dashboard/route/route.ts';

type Press = { key: string; atMs?: number; isHeld?: boolean; isBusy?: boolean };

function pressAll(presses: readonly Press[]): (KeyAction | null)[] {
  let state = noKeys;
  return presses.map((press) => {
    const pressed = pressKey(state, { atMs: 0, isHeld: false, isBusy: false, ...press });
    state = pressed.state;
    return pressed.action;
  });
}

describe('keys', () => {
  test('/ searches and ? lists the keys', () => {
    expect(pressAll([{ key: '/' }, { key: '?' }])).toEqual([{ kind: 'search' }, { kind: 'help' }]);
  });

  test.each(goKeys)('g %s leads to %s', (key, _page, to) => {
    expect(pressAll([{ key: 'g' }, { key }])).toEqual([null, { kind: 'go', to }]);
  });

  test('a letter alone, one too late, and one after another key do nothing', () => {
    expect(pressAll([{ key: 'j' }])).toEqual([null]);
    expect(pressAll([{ key: 'g' }, { key: 'j', atMs: 1_501 }])).toEqual([null, null]);
    expect(pressAll([{ key: 'g' }, { key: 'x' }, { key: 'j' }])).toEqual([null, null, null]);
  });

  test('nothing happens while somebody types, is asked, or holds Ctrl', () => {
    const none = [null, null, null];
    for (const how of [{ isBusy: true }, { isHeld: true }]) {
      expect(pressAll(['/', '?', 'g'].map((key) => ({ key, ...how })))).toEqual(none);
    }
    expect(pressAll([{ key: 'g' }, { key: 'j', isHeld: true }, { key: 'j' }])).toEqual(none);
  });

  test('no key is listed twice, and each leads elsewhere', () => {
    const keys = [...goKeys, ...otherKeys].map(([key]) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(goKeys.map(([, , to]) => hrefOf(to))).size).toBe(goKeys.length);
  });
});
