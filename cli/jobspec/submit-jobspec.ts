import type { SubmissionAnswer } from '../../core/contract/jobspec/jobspec-answer.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { readWait, waitFlags } from '../job/job-ending.ts';
import { watchView } from '../output/live-view.ts';
import { readEveryMs, watchFlags } from '../output/watch-flags.ts';
import { followTasks } from './follow-tasks.ts';
import { describeJobspec, jobspecPath } from './jobspec-view.ts';
import { showMatches } from './satisfy-jobspec.ts';
import { sayTasks, selectFlags, sendJobspec } from './send-jobspec.ts';
import { codeOfEnd, finishSubmission } from './submission-ending.ts';

export const command = defineCommand({
  name: 'jobspec submit',
  about: 'submit a jobspec; prints its id',
  args: [{ name: 'FILE', noun: 'file' }],
  flags: {
    ...selectFlags,
    ...waitFlags,
    watch: { kind: 'switch', short: 'w', about: 'show it live to its end' },
    every: watchFlags.every,
  },
  examples: [
    'edgewise jobspec submit jobspec.yaml --wait',
    'edgewise jobspec submit jobspec.yaml --pool hpc --cluster blue --cluster pink',
    'edgewise jobspec submit jobspec.yaml --priorities selection.yaml',
  ],
  async run({ args, flags, api: client, output, terminal }) {
    const wait = readWait(flags);
    const everyMs = flags.watch ? readEveryMs(flags, output) : 0;
    const api = client();
    const answer = await sendJobspec(api, terminal, args[0]!, flags);
    // The file may ask for an answer only.
    if (!('id' in answer)) return showMatches(answer, output, terminal);
    sayTasks(terminal, answer);
    if (!flags.watch) {
      let isOver = false;
      const ending = finishSubmission(answer, wait, { api, output, terminal }).catch((error) => {
        isOver = true;
        throw error;
      });
      const isFollowed = wait?.goal === 'done' && answer.cluster !== null;
      const shown = isFollowed ? followTasks(api, terminal, answer, () => isOver) : null;
      const [code] = await Promise.all([ending, shown]);
      return code;
    }
    let code: ReturnType<typeof codeOfEnd> = null;
    await watchView(terminal, everyMs, async () => {
      const found = await api.get<SubmissionAnswer>(jobspecPath(answer.id));
      code = codeOfEnd(found);
      return { text: describeJobspec(found, output.colour), last: code !== null };
    });
    return code ?? exitCode.ok;
  },
});
