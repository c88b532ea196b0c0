import { changeSettings } from '../client/settings-record.ts';
import { defineCommand, givesAny } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { describeRecord } from '../output/record.ts';
import { poolPath } from './get-pool.ts';

const settable = ['description', 'policy'];

export const command = defineCommand({
  name: 'pool set',
  about: 'create a pool or change its settings',
  args: [{ name: 'POOL', noun: 'pool' }],
  flags: {
    policy: {
      kind: 'text',
      value: 'POLICY',
      choices: ['spread', 'pack', 'fastest'],
      about: 'for jobs that name none: spread, pack or fastest',
    },
    description: { kind: 'text', value: 'TEXT', blank: true, about: 'what it is for' },
  },
  examples: ['edgewise pool set north --policy pack'],
  async run({ args, flags, given, api, output }) {
    if (!givesAny(given)) throw usage('Nothing to set is given.', 'See: edgewise pool set --help');
    const change: Record<string, unknown> = {};
    if (flags.policy !== undefined) change.policy = flags.policy;
    if (flags.description !== undefined) change.description = flags.description;
    const pool = await changeSettings(api(), poolPath(args[0]!), settable, change);
    output.single(pool, args[0]!, () => describeRecord(pool));
    return exitCode.ok;
  },
});
