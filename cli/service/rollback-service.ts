import type { Job } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { jobPath, withJob } from '../job/input/job-reference.ts';
import { rolloutText } from './service-view.ts';

export const command = defineCommand({
  name: 'service rollback',
  about: 'bring a service back to an earlier generation: the one before, or one that is named',
  args: [{ name: 'SERVICE', noun: 'job' }],
  flags: {
    to: { kind: 'number', value: 'N', min: 1, about: 'which generation' },
  },
  examples: ['edgewise service rollback last', 'edgewise service rollback last --to 3'],
  async run({ args, flags, api, output }) {
    const client = api();
    const body = flags.to === undefined ? {} : { generation: flags.to };
    const service = await withJob(client, args[0]!, async (id) => {
      return (await client.ask<Job>('POST', jobPath(id, '/rollback'), { body })).body;
    });
    output.single(service, service.id, () => `${service.id} ${rolloutText(service)}\n`);
    return exitCode.ok;
  },
});
