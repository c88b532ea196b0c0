import type { Job } from '../../core/contract/resources.ts';
import { count, formatRanges, type RangeSet, rangeOf } from '../../core/model/ranges.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { checkWithin, readChunks } from '../job/input/chunk-set.ts';
import { jobPath, withJob } from '../job/input/job-reference.ts';

export const command = defineCommand({
  name: 'chunk cancel',
  about: 'cancel some chunks of a job: it goes on with the others, and ends by them',
  args: [
    { name: 'JOB', noun: 'job' },
    { name: 'RANGES', noun: 'text' },
  ],
  flags: { ...yesFlag },
  examples: ['edgewise chunk cancel last 0-99,140'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const set = unwanted(args[1]!);
    const found = await withJob(client, args[0]!, (id) => checkWithin(client, id, set));
    const whose = found.name ?? found.id;
    const text = formatRanges(set);
    await confirm(terminal, flags.yes, `Cancel ${count(set)} chunks of ${whose}: ${text}?`);
    const path = jobPath(found.id, `/chunks?ranges=${text}`);
    const { body: job } = await client.ask<Job>('DELETE', path);
    output.single(job, job.id, () => `${job.id}\n`);
    return exitCode.ok;
  },
});

function unwanted(text: string): RangeSet {
  const named = readChunks(text);
  if (named.kind === 'all') {
    throw usage('All chunks are the whole job.', 'Cancel it: edgewise job cancel JOB');
  }
  return named.kind === 'one' ? rangeOf(named.chunk, named.chunk + 1) : named.set;
}
