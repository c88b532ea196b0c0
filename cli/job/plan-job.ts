import type { Dryrun } from '../../core/contract/resources.ts';
import type { Api } from '../client/api.ts';
import { defineCommand } from '../command.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import type { Output } from '../output/output.ts';
import { formatTable, type Table } from '../output/table.ts';
import type { JobBody } from './input/job-flags.ts';
import { jobFlags } from './input/job-flags.ts';
import { readJob } from './input/job-input.ts';
import { describeWaiting } from './job-view.ts';

type Placement = Dryrun['placements'][number];

const placementTable: Table<Placement> = {
  name: (placement) => placement.edge,
  columns: [
    { title: 'EDGE', of: (placement) => placement.edge },
    { title: 'CHUNKS', of: (placement) => placement.chunks, right: true },
    { title: 'POWER', of: (placement) => placement.power, right: true },
  ],
};

/** Exit code 8 when nothing of it could be placed, as `submit --wait=placed` would end. */
export async function showPlan(client: Api, body: JobBody, output: Output): Promise<ExitCode> {
  const { body: plan } = await client.ask<Dryrun>('POST', '/v1/plan', { body });
  const { placements, waiting } = plan;
  if (output.format === 'name') output.list(plan, placements, placementTable);
  else {
    output.single(plan, 'plan', () => {
      const style = { wide: output.format === 'wide', colour: output.colour };
      const table = placements.length === 0 ? '' : formatTable(placements, placementTable, style);
      return `${table}${describeWaiting(waiting)}`.trimStart() || 'Nothing would be placed.\n';
    });
  }
  return plan.feasible ? exitCode.ok : exitCode.notPlaced;
}

export const command = defineCommand({
  name: 'job plan',
  about: 'say where a job would go now, or why not; submits nothing',
  args: [],
  rest: 'PROGRAM ARGS…',
  flags: { ...jobFlags },
  examples: ['edgewise job plan --power 403', 'edgewise job plan --file job.yaml -o json'],
  async run({ flags, rest, api, output, terminal }) {
    const client = api();
    return showPlan(client, await readJob(client, terminal, flags, rest), output);
  },
});
