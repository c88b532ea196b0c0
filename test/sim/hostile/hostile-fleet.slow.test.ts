import { expect, test } from 'vitest';
import { runFleet } from './fleet.ts';
import { hostileBugs } from './hostile-bugs.ts';

/** Per event that is stored, and per minute: passes, and rows of passes. */
const commitsMax = { perEvent: 2, perMinute: 3 };
const rowsPerCommitMax = 12;

test.each([1, 2, 3])('seed %d: ten hours beside a hostile edge', async (seed) => {
  const hours = 10;
  const hostile = await runFleet(seed, { hours });
  expect(hostile.violation).toBeNull();
  expect(hostile.jobs).toBeGreaterThan(50);
  const { events, commits, rows } = hostile.cost;
  expect(commits).toBeLessThan(commitsMax.perEvent * events + commitsMax.perMinute * 60 * hours);
  expect(rows).toBeLessThan(rowsPerCommitMax * commits);
  // What the others are written is about their own work, not about what is said beside them.
  const peaceful = await runFleet(seed, { hours, isPeaceful: true });
  expect(peaceful.violation).toBeNull();
  expect(hostile.toOthers).toBeLessThan(3 * peaceful.toOthers);
});

test.each(hostileBugs)('$name is noticed: $sentence', async (bug) => {
  for (let seed = 1; seed <= 200; seed++) {
    const { violation } = await runFleet(seed, { hours: 2, bug });
    if (violation !== null) return;
  }
  expect.unreachable(`200 seeds did not notice that ${bug.sentence}`);
});
