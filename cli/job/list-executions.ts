import type { Execution } from '../../core/contract/resources.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import { jobPath, withJob } from './input/job-reference.ts';
import { executionTable } from './job-view.ts';

export const command = defineCommand({
  name: 'job executions',
  about: 'list every edge where a job ran or runs, with its share and progress',
  args: [{ name: 'JOB', noun: 'job' }],
  flags: { ...listFlags },
  examples: ['edgewise job executions last --all'],
  async run({ args, flags, api, output }) {
    const client = api();
    const page = await withJob(client, args[0]!, (id) =>
      listPages<Execution>(client, jobPath(id, '/executions'), {}, readLimit(flags), flags.cursor),
    );
    output.list(page, page.items, executionTable);
    return exitCode.ok;
  },
});
