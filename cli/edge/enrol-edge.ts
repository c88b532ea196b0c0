import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { parseAmounts, parsePairs } from '../input/pairs.ts';
import { edgePath } from './edge-view.ts';

/**
 * The agent enrols by itself. This is for edges that have no agent of ours and speak HTTP, or bring
 * their own key.
 */
export const command = defineCommand({
  name: 'edge enrol',
  about: 'enrol an edge without an agent; prints its secret once',
  args: [{ name: 'NAME', noun: 'text' }],
  flags: {
    power: { kind: 'number', value: 'W', min: 1, about: 'power it offers' },
    resource: { kind: 'list', value: 'NAME=N', about: 'another amount it offers: cores=8' },
    pool: { kind: 'text', short: 'p', value: 'POOL', noun: 'pool', about: 'its pool (default)' },
    label: { kind: 'list', short: 'l', value: 'K=V', about: 'a label' },
    csr: {
      kind: 'text',
      value: 'FILE',
      about: 'certificate signing request, PEM; without one: HTTP only',
    },
  },
  examples: ['edgewise edge enrol cluster-1 --power 4000 -o json'],
  async run({ args, flags, api, output, terminal }) {
    const [name] = args;
    if (flags.power === undefined)
      throw usage('--power is missing.', 'Give what the edge offers: --power 250.');
    const capacity = { ...parseAmounts(flags.resource, 'resource'), power: flags.power };
    const labels = parsePairs(flags.label, 'label');
    const body = {
      name,
      capacity,
      ...(flags.pool === undefined ? {} : { pool: flags.pool }),
      ...(flags.label.length === 0 ? {} : { labels }),
      ...(flags.csr === undefined ? {} : { csr: await terminal.read(flags.csr) }),
    };
    const answer = await api().ask<{ secret: string }>('POST', '/v1/edges', { body });
    output.single(answer.body, name!, () => `${answer.body.secret}\n`);
    const opened = `${edgePath(name!)}/work and /report`;
    terminal.say(`${name} is enrolled. The secret is shown once; it opens ${opened}.`);
    return exitCode.ok;
  },
});
