import type { Schedule } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { describeSchedule, schedulePath } from './schedule-view.ts';

export const command = defineCommand({
  name: 'schedule pause',
  about: 'make no more jobs until it is resumed',
  args: [{ name: 'NAME', noun: 'text' }],
  flags: {},
  examples: ['edgewise schedule pause nightly'],
  async run({ args, api, output }) {
    const body = { paused: true };
    const asked = await api().ask<Schedule>('PATCH', schedulePath(args[0]!), { body });
    output.single(asked.body, asked.body.name, () => describeSchedule(asked.body));
    return exitCode.ok;
  },
});
