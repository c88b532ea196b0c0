import type { ScheduleRun } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { schedulePath } from './schedule-view.ts';

/** The id of the job goes to stdout, as that of a submit does. */
export const command = defineCommand({
  name: 'schedule run',
  about: 'make its job now, paused or not; prints the id',
  args: [{ name: 'NAME', noun: 'text' }],
  flags: {},
  examples: ['edgewise schedule run nightly'],
  async run({ args, api, output }) {
    const { body: run } = await api().ask<ScheduleRun>('POST', schedulePath(args[0]!, '/run'), {});
    if (run.job === null) throw new Failure(exitCode.failure, run.detail);
    output.single(run, run.job, () => `${run.job}\n`);
    return exitCode.ok;
  },
});
