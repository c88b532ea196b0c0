import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { describeRecord } from '../output/record.ts';

export const command = defineCommand({
  name: 'pool get',
  about: 'show a pool',
  args: [{ name: 'POOL', noun: 'pool' }],
  flags: {},
  examples: ['edgewise pool get default'],
  async run({ args, api, output }) {
    const pool = await api().get<Record<string, unknown>>(poolPath(args[0]!));
    output.single(pool, args[0]!, () => describeRecord(pool));
    return exitCode.ok;
  },
});

export function poolPath(name: string): string {
  return `/v1/pools/${encodeURIComponent(name)}`;
}
