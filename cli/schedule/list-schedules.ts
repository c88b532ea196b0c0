import type { Schedule } from '../../core/contract/resources.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import { scheduleTable } from './schedule-view.ts';

export const command = defineCommand({
  name: 'schedule list',
  about: 'list schedules, with their next and last times',
  args: [],
  flags: {
    pool: { kind: 'text', short: 'p', value: 'POOL', noun: 'pool', about: 'only of this pool' },
    ...listFlags,
  },
  examples: ['edgewise schedule list'],
  async run({ flags, api, output }) {
    const filter = { pool: flags.pool };
    const limit = readLimit(flags);
    const page = await listPages<Schedule>(api(), '/v1/schedules', filter, limit, flags.cursor);
    output.list(page, page.items, scheduleTable);
    return exitCode.ok;
  },
});
