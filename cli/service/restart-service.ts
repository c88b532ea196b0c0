import type { Job } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { jobPath, withJob } from '../job/input/job-reference.ts';
import { rolloutText } from './service-view.ts';

export const command = defineCommand({
  name: 'service restart',
  about: 'start instances of a service anew, one after the other',
  args: [{ name: 'SERVICE', noun: 'job' }],
  flags: {
    chunks: { kind: 'text', value: 'RANGES', about: 'which instances, as 0-1,4 (all)' },
  },
  examples: ['edgewise service restart last', 'edgewise service restart last --chunks 0-1'],
  async run({ args, flags, api, output }) {
    const client = api();
    const body = flags.chunks === undefined ? {} : { chunks: flags.chunks };
    const service = await withJob(client, args[0]!, async (id) => {
      return (await client.ask<Job>('POST', jobPath(id, '/restart'), { body })).body;
    });
    output.single(service, service.id, () => `${service.id} ${rolloutText(service)}\n`);
    return exitCode.ok;
  },
});
