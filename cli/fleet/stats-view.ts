import type { Stats } from '../../core/contract/resources.ts';
import { formatFields, type Table } from '../output/table.ts';

/** The system in a handful of lines, and in one. */
export function describeStats(stats: Stats): string {
  const { power, rates } = stats;
  return formatFields([
    ['edges', countsText(stats.edges)],
    ['power', powerText(power)],
    ['jobs', countsText(stats.jobs)],
    ['chunks', countsText(stats.chunks)],
    ['rates', `${rates.jobsPerMinute ?? 0} jobs/min, ${rates.chunksPer10Seconds ?? 0} chunks/10 s`],
  ]);
}

function powerText(power: Readonly<Record<string, number>>): string {
  return `${power.free ?? 0} free of ${power.total ?? 0}, ${power.served ?? 0} served`;
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const shown = Object.entries(counts).filter(([name, n]) => n > 0 && name !== 'total');
  const parts = shown.map(([name, n]) => `${n} ${name}`);
  const total = counts.total === undefined ? '' : `${counts.total}`;
  if (parts.length === 0) return total === '' ? 'none' : total;
  return total === '' ? parts.join(', ') : `${total}: ${parts.join(', ')}`;
}

type Group = NonNullable<Stats['groups']>[number];

export const groupTable: Table<Group> = {
  name: ({ name }) => name,
  columns: [
    { title: 'NAME', of: ({ name }) => name },
    { title: 'POOL', of: ({ pool }) => pool ?? '-' },
    { title: 'EDGES', of: ({ edges }) => edges ?? '-', right: true },
    { title: 'JOBS', of: ({ jobs }) => jobs, right: true },
    { title: 'OPEN', of: ({ chunksOpen }) => chunksOpen, right: true },
    { title: 'DONE', of: ({ chunksDone }) => chunksDone, right: true },
    { title: 'POWER', of: ({ power }) => power ?? '-', right: true },
    { title: 'SERVED', of: ({ served }) => served, right: true },
  ],
};
