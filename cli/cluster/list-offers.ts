import type { OfferAnswer, OffersAnswer } from '../../core/contract/clusters/offer-body.ts';
import type { Query } from '../client/api.ts';
import { defineCommand } from '../command.ts';
import { edgePath } from '../edge/edge-view.ts';
import { exitCode } from '../exit-code.ts';
import { watchView } from '../output/live-view.ts';
import type { Table } from '../output/table.ts';
import { shapeFlags } from '../output/table-shape.ts';
import { readEveryMs, watchFlags } from '../output/watch-flags.ts';

export const offersTable: Table<OfferAnswer> = {
  name: ({ id }) => id,
  columns: [
    { title: 'JOB', of: ({ id }) => id },
    { title: 'NAME', of: ({ name }) => name ?? '' },
    { title: 'QUEUE', of: ({ queue }) => queue },
    { title: 'PRIORITY', right: true, of: ({ priority }) => String(priority) },
    { title: 'NODES', right: true, of: ({ nodes }) => String(nodes) },
    { title: 'CHUNKS', of: ({ chunks, tasks }) => chunks ?? `jobspec of ${tasks}` },
    { title: 'FITS', of: ({ fits }) => (fits ? 'yes' : 'no') },
    { title: 'COMMAND', of: ({ command }) => command ?? '' },
  ],
};

export const command = defineCommand({
  name: 'cluster offers',
  about: 'what a cluster in pull mode may take; looking reserves nothing',
  args: [{ name: 'NAME', noun: 'edge' }],
  flags: {
    max: { kind: 'number', value: 'N', min: 1, about: 'at most so many' },
    queue: { kind: 'text', value: 'QUEUE', noun: 'queue', about: 'only of this queue' },
    fits: { kind: 'switch', about: 'only what there is room for now' },
    summary: { kind: 'switch', about: 'figures in place of offers' },
    wait: { kind: 'number', value: 'SECONDS', min: 0, max: 25, about: 'until something is there' },
    label: { kind: 'list', short: 'l', value: 'K=V', about: 'only with this label' },
    ...shapeFlags,
    ...watchFlags,
  },
  examples: [
    'edgewise cluster offers keebler --max 5',
    'edgewise cluster offers keebler --summary',
  ],
  async run({ args, flags, api: client, output, terminal }) {
    const name = args[0]!;
    const api = client();
    const query: Query = {
      ...(flags.max === undefined ? {} : { max: flags.max, limit: Math.min(500, flags.max) }),
      ...(flags.queue === undefined ? {} : { queue: flags.queue }),
      ...(flags.fits ? { fits: true } : {}),
      ...(flags.summary ? { summary: true } : {}),
      ...(flags.wait === undefined ? {} : { waitSeconds: flags.wait }),
      ...(flags.label.length === 0 ? {} : { label: flags.label }),
    };
    const load = () => api.get<OffersAnswer>(edgePath(name, '/offers'), query);
    if (flags.watch) {
      await watchView(terminal, readEveryMs(flags, output), async () => {
        const { items = [], ...figures } = await load();
        const text = flags.summary ? summaryText(figures) : output.lines(items, offersTable);
        return { text, last: false };
      });
      return exitCode.ok;
    }
    const answer = await load();
    if (flags.summary) output.single(answer, name, () => summaryText(answer));
    else output.list(answer, answer.items ?? [], offersTable);
    return exitCode.ok;
  },
});

function summaryText({ total, byQueue = {}, byNodes = {}, oldestAt }: OffersAnswer): string {
  const words = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([key, count]) => `${key}=${count}`)
      .join(' ');
  const rows = [
    ['offers', String(total)],
    ['by queue', words(byQueue)],
    ['by nodes', words(byNodes)],
    ['oldest', oldestAt ?? ''],
  ];
  return rows
    .map(([key, value]) => `${key!.padEnd(10)}${value}`.trimEnd())
    .join('\n')
    .concat('\n');
}
