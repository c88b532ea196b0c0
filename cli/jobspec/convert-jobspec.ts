import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { batchText } from './batch-text.ts';
import { planOffline } from './read-offline.ts';

export const command = defineCommand({
  name: 'jobspec convert',
  about: 'print a jobspec as a script for Slurm or Flux; runs nothing and asks nobody',
  args: [{ name: 'FILE', noun: 'file' }],
  flags: {
    to: { kind: 'text', value: 'FORMAT', choices: ['flux', 'sbatch'], about: 'flux or sbatch' },
  },
  examples: ['edgewise jobspec convert jobspec.yaml --to sbatch > submit.sh'],
  async run({ args, flags, terminal }) {
    if (flags.to === undefined) throw usage('--to is missing.', 'Give --to flux or --to sbatch.');
    const plan = await planOffline(terminal, args[0]!);
    terminal.out(batchText(plan, flags.to === 'flux' ? 'flux' : 'slurm'));
    return exitCode.ok;
  },
});
