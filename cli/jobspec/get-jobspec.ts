import type { SubmissionAnswer } from '../../core/contract/jobspec/jobspec-answer.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { watchView } from '../output/live-view.ts';
import { readEveryMs, watchFlags } from '../output/watch-flags.ts';
import { describeJobspec, findJobspecId, jobspecPath } from './jobspec-view.ts';
import { codeOfEnd } from './submission-ending.ts';

export const command = defineCommand({
  name: 'jobspec get',
  about: 'show a submitted jobspec: where it went, and what became of its tasks',
  args: [{ name: 'JOBSPEC', noun: 'jobspec' }],
  flags: {
    text: { kind: 'switch', about: 'only the jobspec, byte for byte as it was sent' },
    ...watchFlags,
  },
  examples: ['edgewise jobspec get last', 'edgewise jobspec get last --text > jobspec.yaml'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const id = await findJobspecId(client, args[0]!);
    const load = () => client.get<SubmissionAnswer>(jobspecPath(id));
    if (flags.watch) {
      await watchView(terminal, readEveryMs(flags, output), async () => {
        const found = await load();
        return { text: describeJobspec(found, output.colour), last: codeOfEnd(found) !== null };
      });
      return exitCode.ok;
    }
    const found = await load();
    if (flags.text) terminal.out(found.text);
    else output.single(found, found.id, () => describeJobspec(found, output.colour));
    return exitCode.ok;
  },
});
