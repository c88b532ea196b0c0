import { expect, test } from 'vitest';
import { type ScheduleBug, scheduleBugs } from './schedule-bugs.ts';
import { checkSchedules } from './schedule-checks.ts';
import { ScheduleWorld } from './schedule-world.ts';

const seedsMax = 12;

async function violationOf(seed: number, bug: ScheduleBug | null = null): Promise<unknown> {
  const world = new ScheduleWorld(seed, bug);
  try {
    await world.run();
    if (world.violation !== null) return world.violation;
    expect(world.made.length).toBeGreaterThan(0);
    await checkSchedules(world);
    return null;
  } catch (error) {
    return error;
  }
}

test('whatever becomes of ticks, each time of a schedule has what was promised', async () => {
  for (let seed = 1; seed <= seedsMax; seed++) {
    expect(await violationOf(seed), `seed ${seed}`).toBeNull();
  }
});

test.each(scheduleBugs)('a bug is noticed: $sentence', async (bug) => {
  for (let seed = 1; seed <= seedsMax; seed++) {
    if ((await violationOf(seed, bug)) !== null) return;
  }
  expect.unreachable(`${bug.name} is not noticed by ${seedsMax} seeds`);
});
