import { delimiter } from 'node:path';
import { inject } from 'vitest';
import { crowdedEnvironment } from './crowd.ts';

/** Runs in every worker before each file: its tests, and what they start, live on this host. */
const crowd = inject('crowd');
const rest = (process.env.PATH ?? '').split(delimiter).filter((path) => path !== crowd.programs);
process.env.PATH = [crowd.programs, ...rest].join(delimiter);
Object.assign(process.env, crowdedEnvironment(crowd));
delete process.env.NO_COLOR;
// The strictest that some administrators set.
process.umask(0o077);
