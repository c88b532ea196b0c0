import type { FleetEvents } from '../../core/contract/resources.ts';
import type { Api } from '../client/api.ts';
import { type FleetEvent, type Following, followEvents } from '../client/follow-events.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { patienceOf } from '../job/await-ending.ts';
import { listItemsMax, pollMsMax } from '../limits.ts';
import type { Output } from '../output/output.ts';
import type { Table } from '../output/table.ts';
import type { Terminal } from '../terminal.ts';

const subjectOf = ({ name, job, edge }: FleetEvent): string => name ?? job ?? edge ?? '-';

const eventTable: Table<FleetEvent> = {
  name: (event) => event.id,
  columns: [
    { title: 'TIME', of: (event) => event.at },
    { title: 'EVENT', of: (event) => event.kind },
    { title: 'OF', of: subjectOf },
    { title: 'POOL', of: (event) => event.pool },
    { title: 'DETAIL', of: (event) => event.detail },
  ],
};

/** What happened in the last day; with `--follow` what happens from now on, line by line. */
export const command = defineCommand({
  name: 'events',
  about: 'what happened in the fleet in the last day; -f goes on with what happens',
  args: [],
  flags: {
    follow: { kind: 'switch', short: 'f', about: 'what happens from now on, until Ctrl-C' },
    kinds: { kind: 'text', value: 'KINDS', about: 'only these, like job.done,job.failed' },
    job: { kind: 'text', value: 'JOB', about: 'only of this job, by its id' },
    edge: { kind: 'text', value: 'EDGE', about: 'only of this edge' },
    pool: { kind: 'text', value: 'POOL', about: 'only of this pool' },
    after: { kind: 'text', value: 'CURSOR', about: 'go on behind this cursor', rare: true },
  },
  examples: ['edgewise events --kinds job.failed', 'edgewise events -f -o json'],
  async run({ flags, api, output, terminal }) {
    const client = api();
    const { kinds, job, edge, pool } = flags;
    const query = { kinds, job, edge, pool };
    if (flags.follow) {
      if (output.format === 'yaml') throw usage('--follow prints no YAML.', 'Use -o json.');
      await follow(client, terminal, output, { ...query, after: flags.after ?? 'now' });
      return exitCode.ok;
    }
    const items: FleetEvent[] = [];
    let after = flags.after;
    while (items.length < listItemsMax) {
      const page = await client.get<FleetEvents>('/v1/events', { ...query, after });
      items.push(...page.items);
      if (page.cursor === after) break;
      after = page.cursor;
    }
    output.list({ items, cursor: after ?? null }, items, eventTable);
    return exitCode.ok;
  },
});

type Query = Readonly<Record<'kinds' | 'job' | 'edge' | 'pool', string | undefined>>;

async function follow(
  client: Api,
  terminal: Terminal,
  output: Output,
  { after: begin, ...query }: Query & { readonly after: string },
): Promise<void> {
  const { ask } = patienceOf(terminal);
  const signal = terminal.interrupted;
  try {
    const after = begin === 'now' ? await cursorOfNow(client, terminal, query, ask) : begin;
    if (after === null) return;
    for await (const event of followEvents(client, terminal, query, { after, signal, ask })) {
      terminal.out(lineOf(event, output));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function cursorOfNow(
  client: Api,
  terminal: Terminal,
  query: Query,
  ask: Following['ask'],
): Promise<string | null> {
  while (!terminal.interrupted.aborted) {
    const now = { ...query, after: 'now' };
    const page = await ask(() => client.get<FleetEvents>('/v1/events', now));
    if (page !== null) return page.cursor;
    await terminal.sleep(pollMsMax);
  }
  return null;
}

/** In JSON one value a line, for programs that read as it comes. */
function lineOf(event: FleetEvent, { format }: Output): string {
  if (format === 'json') return `${JSON.stringify(event)}\n`;
  if (format === 'name') return `${event.id}\n`;
  const { at, kind, pool, detail } = event;
  return `${at}  ${kind.padEnd(15)}  ${subjectOf(event)}  ${pool}  ${detail}\n`;
}
