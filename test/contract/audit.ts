import { expect, test } from 'vitest';
import type { AuditEvent } from '../../core/ports/audit.ts';
import type { Contract } from './stores.ts';

const dayMs = 86_400_000;
const nowMs = 20_000 * dayMs + 9 * 3_600_000;

function makeEvent(atMs: number, requestId = 'request'): AuditEvent {
  return { atMs, by: 'token:ci', action: 'pool-changed', target: 'default', requestId };
}

/** What every store promises of the audit trail: all of a time, newest first, and nothing older. */
export const auditContract: Contract = (makeStores) => {
  const listed = async (atMs: readonly number[], sinceMs: number, limit = 99) => {
    const { audit } = await makeStores();
    for (const it of atMs) await audit.add(makeEvent(it));
    return (await audit.list(null, sinceMs, nowMs, limit)).map(({ event }) => event.atMs);
  };

  test('an event is read as it was written', async () => {
    const { audit } = await makeStores();
    await audit.add(makeEvent(nowMs));
    const [found] = await audit.list(null, nowMs - dayMs, nowMs, 9);
    expect(found?.event).toEqual(makeEvent(nowMs));
  });

  test('events come newest first, over days on which nothing happened', async () => {
    const atMs = [nowMs - 3 * dayMs, nowMs, nowMs - 3 * dayMs + 1, nowMs - 1];
    expect(await listed(atMs, nowMs - 5 * dayMs)).toEqual(atMs.toSorted().toReversed());
  });

  test.each([1, 25, 48])('nothing is older than wanted: %i hours', async (hours) => {
    const sinceMs = nowMs - hours * 3_600_000;
    const atMs = [nowMs, sinceMs, sinceMs - 1, sinceMs - 3_600_000, sinceMs - dayMs];
    expect(await listed(atMs, sinceMs)).toEqual([nowMs, sinceMs]);
  });

  test('pages go on where the last one ended, also among events of one moment', async () => {
    const { audit } = await makeStores();
    const events = [
      makeEvent(nowMs, 'b'),
      makeEvent(nowMs, 'a'),
      makeEvent(nowMs - 1, 'z'),
      makeEvent(nowMs - dayMs, 'm'),
    ];
    for (const event of events) await audit.add(event);
    const found: AuditEvent[] = [];
    for (let position: string | null = null, pages = 0; pages < events.length; pages++) {
      const page = await audit.list(position, nowMs - 2 * dayMs, nowMs, 1);
      expect(page).toHaveLength(1);
      found.push(page[0]!.event);
      position = page[0]!.position;
    }
    expect(found).toEqual(events);
    const [last] = (await audit.list(null, nowMs - 2 * dayMs, nowMs, 9)).slice(-1);
    expect(await audit.list(last!.position, nowMs - 2 * dayMs, nowMs, 1)).toEqual([]);
  });

  test('one request may do several things, and each has its line', async () => {
    const { audit } = await makeStores();
    const events = ['edge-1', 'edge-2'].flatMap((target) =>
      ['edge-edited: cordoned', 'edge-drained'].map((action) => ({
        ...makeEvent(nowMs),
        action,
        target,
      })),
    );
    for (const event of events) await audit.add(event);
    const found = (await audit.list(null, nowMs - dayMs, nowMs, 9)).map(({ event }) => event);
    expect(found).toHaveLength(events.length);
    expect(found).toEqual(expect.arrayContaining(events));
  });

  test('no more come than were asked for, over however many days', async () => {
    const atMs = Array.from({ length: 6 }, (_, at) => nowMs - at * dayMs);
    expect(await listed(atMs, nowMs - 9 * dayMs, 4)).toEqual(atMs.slice(0, 4));
  });
};
