import type { Schedule } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { describeSchedule, schedulePath } from './schedule-view.ts';

export const command = defineCommand({
  name: 'schedule resume',
  about: 'go on from now; what went by is not made up for',
  args: [{ name: 'NAME', noun: 'text' }],
  flags: {},
  examples: ['edgewise schedule resume nightly'],
  async run({ args, api, output }) {
    const body = { paused: false };
    const asked = await api().ask<Schedule>('PATCH', schedulePath(args[0]!), { body });
    output.single(asked.body, asked.body.name, () => describeSchedule(asked.body));
    return exitCode.ok;
  },
});
