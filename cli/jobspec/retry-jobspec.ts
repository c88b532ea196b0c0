import type { SubmissionAnswer } from '../../core/contract/jobspec/jobspec-answer.ts';
import { defineCommand } from '../command.ts';
import { readWait, waitFlags } from '../job/job-ending.ts';
import { findJobspecId, jobspecPath } from './jobspec-view.ts';
import { finishSubmission } from './submission-ending.ts';

export const command = defineCommand({
  name: 'jobspec retry',
  about: 'run again what failed of a jobspec, and after it what waited for it',
  args: [{ name: 'JOBSPEC', noun: 'jobspec' }],
  flags: { ...waitFlags },
  examples: ['edgewise jobspec retry last --wait'],
  async run({ args, flags, api: client, output, terminal }) {
    const wait = readWait(flags);
    const api = client();
    const id = await findJobspecId(api, args[0]!);
    const { body } = await api.ask<SubmissionAnswer>('POST', jobspecPath(id, '/retry'));
    return finishSubmission(body, wait, { api, output, terminal });
  },
});
