import type { Schedule } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { schedulePath } from './schedule-view.ts';

export const command = defineCommand({
  name: 'schedule remove',
  about: 'remove a schedule; the jobs that it made stay',
  args: [{ name: 'NAME', noun: 'text' }],
  flags: yesFlag,
  examples: ['edgewise schedule remove nightly --yes'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const found = await client.get<Schedule>(schedulePath(args[0]!));
    await confirm(terminal, flags.yes, `Remove the schedule ${found.name}?`);
    await client.ask('DELETE', schedulePath(found.name));
    output.single(found, found.name, () => `${found.name} removed\n`);
    return exitCode.ok;
  },
});
