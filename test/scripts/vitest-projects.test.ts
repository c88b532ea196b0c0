import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';

/**
 * The agent's tests on a binary are of two projects and run as one. Vitest refuses such a run
 * where projects of one group ask for different numbers of workers.
 */
interface Project {
  name: string;
  maxWorkers?: number;
  fileParallelism?: boolean;
  sequence?: { groupOrder?: number };
}

test('the projects of one group ask for as many workers', () => {
  const projects = (config.test?.projects ?? []).map(
    (project) => (project as { test: Project }).test,
  );
  const sideBySide = projects.filter(({ fileParallelism }) => fileParallelism !== false);
  expect(sideBySide.map(({ name }) => name)).toEqual(expect.arrayContaining(['fast', 'parts']));

  const groups = Map.groupBy(sideBySide, ({ sequence }) => sequence?.groupOrder ?? 0);
  for (const group of groups.values()) {
    expect(new Set(group.map(({ maxWorkers }) => maxWorkers)).size, group[0]?.name).toBe(1);
  }
});
