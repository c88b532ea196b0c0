import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { readSpecFile } from '../spec-file.ts';
import { describeRecord, poolPath } from './get-pool.ts';

export const command = defineCommand({
  name: 'pool set',
  about: 'create a pool or replace its settings',
  args: [{ name: 'POOL', noun: 'pool' }],
  flags: {
    policy: {
      kind: 'text',
      value: 'POLICY',
      choices: ['spread', 'pack', 'fastest'],
      about: 'how jobs are placed unless they say otherwise: spread, pack or fastest',
    },
    file: {
      kind: 'text',
      short: 'f',
      value: 'FILE',
      about: 'all settings, YAML or JSON; - is stdin',
    },
  },
  examples: ['edgewise pool set north --policy pack'],
  async run({ args, flags, given, api, output, terminal }) {
    if (given.size === 0) throw usage('Nothing to set is given.', 'See: edgewise pool set --help');
    const file = flags.file === undefined ? {} : await readSpecFile(terminal, flags.file);
    const body = { ...file, ...(flags.policy === undefined ? {} : { policy: flags.policy }) };
    const path = poolPath(args[0]!);
    const pool = (await api().ask<Record<string, unknown>>('PUT', path, { body })).body;
    output.single(pool, args[0]!, () => describeRecord(pool));
    return exitCode.ok;
  },
});
