import { delimiter } from 'node:path';
import { expect, inject } from 'vitest';
import { crowdedEnvironment, onTheHost } from './crowd.ts';

/** Runs in every worker before each file: its tests, and what they start, live on this host. */
const crowd = inject('crowd');
const { testPath = '' } = expect.getState();
if (!onTheHost.test(testPath.replaceAll('\\', '/'))) moveIn();

function moveIn(): void {
  const rest = (process.env.PATH ?? '').split(delimiter).filter((path) => path !== crowd.programs);
  process.env.PATH = [crowd.programs, ...rest].join(delimiter);
  Object.assign(process.env, crowdedEnvironment(crowd));
  delete process.env.NO_COLOR;
  // The strictest that some administrators set.
  process.umask(0o077);
}
