import type { SubmissionAnswer } from '../../core/contract/jobspec/jobspec-answer.ts';
import { isFinal } from '../../core/model/job.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { findJobspecId, jobspecPath } from './jobspec-view.ts';

export const command = defineCommand({
  name: 'jobspec cancel',
  about: 'cancel all jobs of a jobspec, or remove one that has ended',
  args: [{ name: 'JOBSPEC', noun: 'jobspec' }],
  flags: {
    purge: { kind: 'switch', about: 'remove one that has ended, with its jobs' },
    ...yesFlag,
  },
  examples: ['edgewise jobspec cancel last', 'edgewise jobspec cancel last --purge --yes'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const id = await findJobspecId(client, args[0]!);
    const { name } = await client.get<SubmissionAnswer>(jobspecPath(id));
    await confirm(terminal, flags.yes, `${flags.purge ? 'Remove' : 'Cancel'} ${name ?? id}?`);
    const query = flags.purge ? { purge: true } : {};
    const answer = await client.ask<SubmissionAnswer | null>('DELETE', jobspecPath(id), { query });
    const { body } = answer;
    if (body === null) output.single({ id }, id, () => `${id} removed\n`);
    else {
      const state = isFinal(body.status.state) ? body.status.state : 'stopping';
      output.single(body, id, () => `${id} ${state}\n`);
    }
    return exitCode.ok;
  },
});
