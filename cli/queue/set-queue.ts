import { changeSettings } from '../client/settings-record.ts';
import { defineCommand, givesAny } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { describeRecord } from '../output/record.ts';
import { queuePath } from './get-queue.ts';

const settable = ['weight', 'strict', 'quota'];

export const command = defineCommand({
  name: 'queue set',
  about: 'create a queue or change its weight, order or quota',
  args: [{ name: 'QUEUE', noun: 'queue' }],
  flags: {
    weight: {
      kind: 'number',
      value: 'N',
      fraction: true,
      min: 0,
      about: 'its share against other queues',
    },
    strict: { kind: 'switch', about: 'strict arrival order' },
    'no-strict': { kind: 'switch', about: 'later jobs may use what earlier ones cannot' },
    quota: { kind: 'number', value: 'W', min: 1, about: 'most power it may use at once' },
    'no-quota': { kind: 'switch', about: 'as much as there is' },
  },
  examples: ['edgewise queue set nightly --weight 2 --quota 5000'],
  async run({ args, flags, given, api, output }) {
    if (!givesAny(given)) throw usage('Nothing to set is given.', 'See: edgewise queue set --help');
    if (flags.quota !== undefined && flags['no-quota']) {
      throw usage('--quota and --no-quota contradict.');
    }
    if (flags.strict && flags['no-strict']) throw usage('--strict and --no-strict contradict.');
    const change: Record<string, unknown> = {};
    if (flags.weight !== undefined) change.weight = flags.weight;
    if (flags.strict || flags['no-strict']) change.strict = flags.strict;
    if (flags.quota !== undefined || flags['no-quota']) change.quota = flags.quota ?? null;
    const queue = await changeSettings(api(), queuePath(args[0]!), settable, change);
    output.single(queue, args[0]!, () => describeRecord(queue));
    return exitCode.ok;
  },
});
