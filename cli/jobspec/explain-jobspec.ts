import type { JobspecExplanation } from '../../core/contract/jobspec/jobspec-answer.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { formatFields, formatTable } from '../output/table.ts';
import { findJobspecId, jobspecPath, matchTable } from './jobspec-view.ts';
import { liveFlag } from './satisfy-jobspec.ts';

export const command = defineCommand({
  name: 'jobspec explain',
  about: 'say where a submitted jobspec would go now, and why; it stays where it is',
  args: [{ name: 'JOBSPEC', noun: 'jobspec' }],
  flags: { live: liveFlag },
  examples: ['edgewise jobspec explain last', 'edgewise jobspec explain 0mwm --live'],
  async run({ args, flags, api: client, output }) {
    const api = client();
    const path = jobspecPath(await findJobspecId(api, args[0]!), '/explain');
    const query = flags.live ? { live: 'true' } : {};
    const { body } = await api.ask<JobspecExplanation>('POST', path, { query });
    output.single(body, body.id, () => describe(body, output.colour));
    return exitCode.ok;
  },
});

function describe(found: JobspecExplanation, colour: boolean): string {
  const { cluster, clusters, selection } = found;
  const by = selection === null ? null : byText(selection);
  const fields = formatFields([
    ['jobspec', found.id],
    ['went to', cluster ?? 'nobody yet'],
    ['would go to', selection?.cluster ?? 'nobody'],
    ['chosen by', by],
  ]);
  const out = (selection?.excluded ?? []).map((it) => {
    return `${it.cluster}: priority ${it.priority}, step ${it.step + 1}: ${it.reason}\n`;
  });
  const left = out.length === 0 ? '' : `\nleft out\n${out.join('')}`;
  return `${fields}\n${formatTable(clusters, matchTable, { wide: false, colour })}${left}`;
}

function byText({ algorithm, priority }: NonNullable<JobspecExplanation['selection']>): string {
  return priority === null ? algorithm : `${algorithm}, priority ${priority}`;
}
