import { changeSettings } from '../client/settings-record.ts';
import { defineCommand, givesAny } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { parseAmounts } from '../input/pairs.ts';
import { documentOf } from '../input/spec-file.ts';
import { choiceFlags, type Selection, selectionOf } from '../jobspec/send-jobspec.ts';
import { describeRecord } from '../output/record.ts';
import { poolPath } from './get-pool.ts';

const settable = ['description', 'policy', 'edgeCapacityMax', 'select', 'match'];

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
    'edge-max': {
      kind: 'list',
      value: 'NAME=N',
      about: 'most that an edge may claim of a resource; replaces what was set',
    },
    'no-edge-max': { kind: 'switch', about: 'believe what edges claim' },
    ...choiceFlags,
    together: {
      kind: 'text',
      value: 'WORD',
      choices: ['host', 'pool'],
      about: 'where the tasks of a jobspec run that wait for each other (host)',
    },
    description: { kind: 'text', value: 'TEXT', blank: true, about: 'what it is for' },
  },
  examples: [
    'edgewise pool set north --policy pack',
    'edgewise pool set north --edge-max power=500 --edge-max gpus=2',
    'edgewise pool set hpc --priorities selection.yaml --unsatisfied wait',
  ],
  async run({ args, flags, given, api, output, terminal }) {
    if (!givesAny(given)) throw usage('Nothing to set is given.', 'See: edgewise pool set --help');
    if (flags['edge-max'].length > 0 && flags['no-edge-max']) {
      throw usage('--edge-max and --no-edge-max contradict.');
    }
    const change: Record<string, unknown> = {};
    if (flags.policy !== undefined) change.policy = flags.policy;
    if (flags['edge-max'].length > 0 || flags['no-edge-max']) {
      change.edgeCapacityMax = parseAmounts(flags['edge-max'], 'edge-max');
    }
    const select = await selectionOf(terminal, flags);
    if (select !== null) change.select = withSteps(select, flags.priorities);
    const { unsatisfied, together } = flags;
    if (unsatisfied ?? together) change.match = { unsatisfied, together };
    if (flags.description !== undefined) change.description = flags.description;
    const pool = await changeSettings(api(), poolPath(args[0]!), settable, change);
    output.single(pool, args[0]!, () => describeRecord(pool));
    return exitCode.ok;
  },
});

/** Pools keep the steps themselves, not the text of a file. */
function withSteps({ algorithm, priorities }: Selection, file = 'priorities'): object {
  return priorities === undefined
    ? { algorithm }
    : { algorithm, priorities: documentOf(priorities, file) };
}
