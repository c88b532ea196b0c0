import { expect, test } from 'vitest';
import { cellIdOf, edgeNameOf } from '../../core/model/names.ts';
import { parseBody } from '../../lambdas/event-handler.ts';
import { wakeupsOfTimers } from '../../lambdas/workers/schedule/schedule-cells.ts';
import { createQuietLog } from '../lambdas/quiet-log.ts';
import type { ServicesContract } from './services.ts';

let made = 0;
const freshCell = () => cellIdOf(`timers.${++made}`);

/** As the scheduler reads what the queue brings it. */
function cellsIn(bodies: readonly string[]): string[] {
  const records = bodies.map((body, at) => ({ messageId: String(at), body }));
  return [...wakeupsOfTimers(records, createQuietLog()).keys()];
}

/** What every timer promises. A look may come late, and never before it was asked for. */
export const timersContract: ServicesContract = (services) => {
  test('a look that is due comes at once, and names its cell', async () => {
    const { timers, timerQueue } = services();
    const cells = [freshCell(), freshCell()];
    for (const [at, cell] of cells.entries()) await timers.lookAgain(cell, Date.now() - at * 9_000);
    expect(new Set(cellsIn(await timerQueue.receive()))).toEqual(new Set(cells));
    expect(await timerQueue.receive()).toEqual([]);
  });

  test('a look in time has not come before, and asking again does not make it two', async () => {
    const { timers, timerQueue } = services();
    const before = await timerQueue.waiting();
    const cell = freshCell();
    const atMs = Date.now() + 600_000;
    for (let time = 1; time <= 3; time++) await timers.lookAgain(cell, atMs);
    await timers.lookAgain(freshCell(), atMs);
    expect(await timerQueue.receive()).toEqual([]);
    expect((await timerQueue.waiting()) - before).toBe(2);
  });

  test('an edge on its way out is looked at again, with how often it was', async () => {
    const { removals, removalQueue } = services();
    const edge = edgeNameOf('leaving');
    await removals.lookAt(edge, 3, 0);
    await removals.lookAt(edge, 4, 600);
    expect((await removalQueue.receive()).map(parseBody)).toEqual([{ edge, tries: 3 }]);
    expect(await removalQueue.waiting()).toBe(1);
  });
};
