import { describe, expect, test } from 'vitest';
import {
  type ConnectionNote,
  connection,
  forgetConnection,
  noteConnection,
  onConnection,
  worstOf,
} from '../../../dashboard/live/connection.ts';

const live: ConnectionNote = { state: 'live', sentence: null, retryAtMs: null };
const slow = (retryAtMs: number): ConnectionNote => ({ state: 'slow', sentence: 's', retryAtMs });
const away = (retryAtMs: number): ConnectionNote => ({ ...slow(retryAtMs), state: 'offline' });

describe('the connection', () => {
  test('is the worst of all feeds, with the next try of those', () => {
    expect(worstOf([])).toMatchObject({ state: 'live', retryAtMs: null });
    expect(worstOf([live, slow(5)])).toEqual(slow(5));
    expect(worstOf([slow(5), away(9), away(7), live])).toEqual(away(7));
  });

  test('one feed that is answered does not hide another that is not', () => {
    const [one, other] = [{}, {}];
    const states: string[] = [];
    const leave = onConnection(({ state }) => states.push(state));
    noteConnection(one, live, 100);
    noteConnection(other, away(9), null);
    noteConnection(one, live, 200);
    expect(connection()).toEqual({ ...away(9), answeredAtMs: 200 });
    forgetConnection(other);
    expect(connection().state).toBe('live');
    forgetConnection(one);
    expect(states).toEqual(['offline', 'live']);
    leave();
  });
});
