import type { Chunk, Job } from '../../core/contract/resources.ts';
import { count, formatRanges, fromChunks, rangeOf, subtract } from '../../core/model/ranges.ts';
import type { Api } from '../client/api.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { checkWithin, type NamedChunks, readChunks } from '../job/input/chunk-set.ts';
import { jobPath, withJob } from '../job/input/job-reference.ts';

/**
 * A retry is of all failed chunks of a job. Who names some of them is not given more than was
 * named: when others have failed, too, nothing is run.
 */
export const command = defineCommand({
  name: 'chunk retry',
  about: 'run the failed chunks of a job again, when they are those that are named',
  args: [
    { name: 'JOB', noun: 'job' },
    { name: 'CHUNKS', noun: 'text' },
  ],
  flags: {},
  examples: ['edgewise chunk retry last all', 'edgewise chunk retry last 3,7-9'],
  async run({ args, api, output }) {
    const client = api();
    const named = readChunks(args[1]!);
    const job = await withJob(client, args[0]!, async (id) => {
      const { id: whole } = await client.get<Job>(jobPath(id));
      await checkNamed(client, whole, named);
      const headers = { 'idempotency-key': crypto.randomUUID() };
      return (await client.ask<Job>('POST', jobPath(whole, '/retry'), { headers })).body;
    });
    output.single(job, job.id, () => `${job.id}\n`);
    return exitCode.ok;
  },
});

async function checkNamed(api: Api, id: string, named: NamedChunks): Promise<void> {
  if (named.kind === 'all') return;
  const set = named.kind === 'one' ? rangeOf(named.chunk, named.chunk + 1) : named.set;
  const { status } = await checkWithin(api, id, set);
  const { dead } = status.chunks;
  if (dead > count(set)) throw others(`${dead} chunks of the job have failed`);
  const found = await listPages<Chunk>(api, jobPath(id, '/chunks'), { state: 'dead' }, dead + 1);
  const beside = subtract(fromChunks(found.items.map(({ chunk }) => chunk)), set);
  if (count(beside) > 0) throw others(`${formatRanges(beside)} failed, too`);
}

const others = (what: string) =>
  usage(`A retry runs all failed chunks: ${what}.`, 'Name them as well, or write all.');
