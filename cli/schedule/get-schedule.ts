import type { Schedule } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { describeSchedule, schedulePath } from './schedule-view.ts';

export const command = defineCommand({
  name: 'schedule get',
  about: 'show a schedule and its next five times',
  args: [{ name: 'NAME', noun: 'text' }],
  flags: {},
  examples: ['edgewise schedule get nightly'],
  async run({ args, api, output }) {
    const schedule = await api().get<Schedule>(schedulePath(args[0]!));
    output.single(schedule, schedule.name, () => describeSchedule(schedule));
    return exitCode.ok;
  },
});
