import type { Api } from '../client/api.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { Failure, usage } from '../failure.ts';
import { parseAmounts } from '../pairs.ts';
import { describeRecord } from '../pool/get-pool.ts';
import { queuePath } from './get-queue.ts';

const settable = ['weight', 'strict', 'quota'];

export const command = defineCommand({
  name: 'queue set',
  about: 'create a queue or change its weight, order or quota',
  args: [{ name: 'QUEUE', noun: 'queue' }],
  flags: {
    weight: {
      kind: 'number',
      value: 'N',
      fraction: true,
      min: 0,
      about: 'its share against other queues',
    },
    strict: { kind: 'switch', about: 'strict arrival order' },
    'no-strict': { kind: 'switch', about: 'later jobs may use what earlier ones cannot' },
    quota: { kind: 'list', value: 'NAME=N', about: 'most it may use at once: power=5000' },
  },
  examples: ['edgewise queue set nightly --weight 2 --quota power=5000'],
  async run({ args, flags, given, api, output }) {
    if (given.size === 0) throw usage('Nothing to set is given.', 'See: edgewise queue set --help');
    if (flags.strict && flags['no-strict']) throw usage('--strict and --no-strict contradict.');
    const client = api();
    const path = queuePath(args[0]!);
    const body: Record<string, unknown> = await readQueue(client, path);
    if (flags.weight !== undefined) body.weight = flags.weight;
    if (flags.strict || flags['no-strict']) body.strict = flags.strict;
    if (flags.quota.length > 0) body.quota = parseAmounts(flags.quota, 'quota');
    const queue = (await client.ask<Record<string, unknown>>('PUT', path, { body })).body;
    output.single(queue, args[0]!, () => describeRecord(queue));
    return exitCode.ok;
  },
});

/** PUT replaces, so what is not mentioned is kept from what is there. */
async function readQueue(api: Api, path: string): Promise<Record<string, unknown>> {
  try {
    const queue = await api.get<Record<string, unknown>>(path);
    return Object.fromEntries(Object.entries(queue).filter(([name]) => settable.includes(name)));
  } catch (error) {
    if (error instanceof Failure && error.code === exitCode.notFound) return {};
    throw error;
  }
}
