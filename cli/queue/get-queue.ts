import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { describeRecord } from '../output/record.ts';

export const command = defineCommand({
  name: 'queue get',
  about: 'show a queue: weight, order, quota',
  args: [{ name: 'QUEUE', noun: 'queue' }],
  flags: {},
  examples: ['edgewise queue get default'],
  async run({ args, api, output }) {
    const queue = await api().get<Record<string, unknown>>(queuePath(args[0]!));
    output.single(queue, args[0]!, () => describeRecord(queue));
    return exitCode.ok;
  },
});

export function queuePath(name: string): string {
  return `/v1/queues/${encodeURIComponent(name)}`;
}
