import type { Chunk, Job } from '../../core/contract/resources.ts';
import { isFinal } from '../../core/model/job.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { findJobId, jobPath } from '../job/input/job-reference.ts';
import { instancesShownMax } from '../limits.ts';
import { watchView } from '../output/live-view.ts';
import { readEveryMs, watchFlags } from '../output/watch-flags.ts';
import { describeService } from './service-view.ts';

export const command = defineCommand({
  name: 'service get',
  about: 'show a service: its instances, where they are, how they ended last',
  args: [{ name: 'SERVICE', noun: 'job' }],
  flags: { ...watchFlags },
  examples: ['edgewise service get last', 'edgewise service get last -w'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const id = await findJobId(client, args[0]!);
    const style = { colour: output.colour, wide: output.format === 'wide' };
    const load = async () => {
      const service = await client.get<Job>(jobPath(id));
      const path = jobPath(id, '/chunks');
      const { items } = await listPages<Chunk>(client, path, {}, instancesShownMax, undefined);
      const text = describeService(service, items, { ...style, nowMs: terminal.nowMs() });
      return { service, text };
    };
    if (flags.watch) {
      await watchView(terminal, readEveryMs(flags, output), async () => {
        const { service, text } = await load();
        return { text, last: isFinal(service.status.state) };
      });
      return exitCode.ok;
    }
    const { service, text } = await load();
    output.single(service, service.id, () => text);
    return exitCode.ok;
  },
});
