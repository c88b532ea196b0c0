import type { AcceptAnswer, OffersAnswer } from '../../core/contract/clusters/offer-body.ts';
import { defineCommand } from '../command.ts';
import { asEdge } from '../edge/edge-secret.ts';
import { edgePath } from '../edge/edge-view.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';

export const command = defineCommand({
  name: 'cluster accept',
  about: 'take offers as this cluster, with its own secret',
  args: [
    { name: 'NAME', noun: 'edge' },
    { name: 'JOB', noun: 'job', optional: true, many: true },
  ],
  flags: { max: { kind: 'number', value: 'N', min: 1, max: 500, about: 'the first so many' } },
  examples: ['edgewise cluster accept keebler --max 2', 'edgewise cluster accept keebler 0mwm'],
  async run({ args, flags, api, output }) {
    const [name, ...named] = args;
    if (named.length > 0 && flags.max !== undefined) {
      throw usage('Either jobs or --max.', 'Name the jobs, or say how many.');
    }
    const max = flags.max ?? 1;
    const offered =
      named.length > 0
        ? named
        : (
            (await api().get<OffersAnswer>(edgePath(name!, '/offers'), { max, limit: max }))
              .items ?? []
          ).map(({ id }) => id);
    if (offered.length === 0) {
      output.single({ accepted: [], refused: [] }, name!, () => 'nothing is offered\n');
      return exitCode.ok;
    }
    const send = () =>
      api().ask<AcceptAnswer>('POST', edgePath(name!, '/accept'), { body: { jobs: offered } });
    const { body } = await asEdge(name!, send);
    output.single(body, name!, () =>
      [
        ...body.leases.map(({ job, chunks }) => `${job} accepted: ${chunks}`),
        ...body.refused.map(({ job, reason }) => `${job} refused: ${reason}`),
      ]
        .join('\n')
        .concat('\n'),
    );
    return exitCode.ok;
  },
});
