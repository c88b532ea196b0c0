import type { ReleaseAnswer } from '../../core/contract/clusters/offer-body.ts';
import { defineCommand } from '../command.ts';
import { reasonFlag } from '../edge/edge-change.ts';
import { asEdge } from '../edge/edge-secret.ts';
import { edgePath } from '../edge/edge-view.ts';
import { exitCode } from '../exit-code.ts';

export const command = defineCommand({
  name: 'cluster release',
  about: 'give back accepted work that has not begun, with its own secret',
  args: [
    { name: 'NAME', noun: 'edge' },
    { name: 'JOB', noun: 'job', many: true },
  ],
  flags: { ...reasonFlag },
  examples: ['edgewise cluster release keebler 0mwm --reason "no licence"'],
  async run({ args, flags, api, output }) {
    const [name, ...jobs] = args;
    const body = { jobs, ...(flags.reason === undefined ? {} : { reason: flags.reason }) };
    const send = () => api().ask<ReleaseAnswer>('POST', edgePath(name!, '/release'), { body });
    const { body: answer } = await asEdge(name!, send);
    output.single(answer, name!, () =>
      [
        ...answer.released.map(({ job, chunks }) => `${job} released: ${chunks}`),
        ...answer.refused.map(({ job, reason }) => `${job} kept: ${reason}`),
      ]
        .join('\n')
        .concat('\n'),
    );
    return exitCode.ok;
  },
});
