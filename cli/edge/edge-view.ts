import type { Edge } from '../../core/contract/resources.ts';
import { userIntentOf } from '../../core/contract/short-status.ts';
import { formatAge, secondsSince } from '../input/duration.ts';
import { factsShownMax } from '../limits.ts';
import { paintState } from '../output/colour.ts';
import { formatFields, formatPairs, formatTable, type Table } from '../output/table.ts';

export function edgePath(name: string, rest = ''): string {
  return `/v1/edges/${encodeURIComponent(name)}${rest}`;
}

export function edgeTable(nowMs: number): Table<Edge> {
  return {
    name: (edge) => edge.name,
    columns: [
      { title: 'NAME', of: (edge) => edge.name },
      { title: 'STATE', of: (edge) => edge.state, state: true },
      { title: 'POOL', of: (edge) => edge.pool },
      { title: 'FREE', of: (edge) => edge.free.power ?? '-', right: true },
      { title: 'POWER', of: (edge) => edge.capacity.power ?? '-', right: true },
      { title: 'JOBS', of: (edge) => edge.leases.length, right: true },
      { title: 'DONE', of: (edge) => edge.totals.chunksDone, right: true },
      {
        title: 'SEEN',
        of: (edge) => seenText(edge, nowMs),
        by: (edge) => secondsSince(edge.lastSeenAt, nowMs),
      },
      { title: 'NOTE', of: noteText },
      { title: 'CELL', of: (edge) => edge.cell, wide: true },
      { title: 'SERVED', of: (edge) => edge.totals.powerServed, right: true, wide: true },
      { title: 'LABELS', of: (edge) => formatPairs(edge.labels), wide: true },
    ],
  };
}

function seenText(edge: Edge, nowMs: number): string {
  const age = formatAge(edge.lastSeenAt, nowMs);
  return age === '-' ? 'never' : `${age} ago`;
}

function noteText(edge: Edge): string {
  const reason = edge.reason ?? '';
  const intent = userIntentOf(edge);
  if (intent === null) return reason;
  const word = intent === 'removing' ? 'leaving' : intent;
  return reason === '' ? word : `${word}: ${reason}`;
}

export function describeEdge(
  edge: Edge,
  style: { colour: boolean; wide: boolean; nowMs: number },
): string {
  const lines = [
    formatFields([
      ['edge', edge.name],
      ['state', edge.state],
      ['note', noteText(edge)],
      ['pool', edge.pool],
      ['cell', edge.cell],
      ['seen', seenText(edge, style.nowMs)],
      ['capacity', formatPairs(edge.capacity)],
      ['free', formatPairs(edge.free)],
      ['labels', formatPairs(edge.labels)],
      ...clusterLines(edge),
      ['chunks done', edge.totals.chunksDone],
      ['power served', edge.totals.powerServed],
      ...factLines(edge.facts),
    ]),
  ];
  const leases = edge.leases;
  if (leases.length > 0) {
    const table = {
      name: (lease: (typeof leases)[number]) => lease.job,
      columns: [
        { title: 'JOB', of: (lease: (typeof leases)[number]) => lease.job },
        { title: 'CHUNKS', of: (lease: (typeof leases)[number]) => lease.chunks },
        {
          title: 'SLOTS',
          of: (lease: (typeof leases)[number]) => lease.slots,
          right: true as const,
        },
        { title: '%', of: (lease: (typeof leases)[number]) => lease.percent, right: true as const },
      ],
    };
    lines.push(`\n${formatTable(leases, table, style)}`);
  }
  return lines.join('').replace(/^state( +)(\S+)/m, (_, gap: string, state: string) => {
    return `state${gap}${paintState(state, state, style.colour)}`;
  });
}

/** What makes it a cluster, or takes its work by itself. */
function clusterLines({ graph, mode, offers, clusterState }: Edge): [string, string][] {
  const lines: [string, string][] = mode === 'pull' ? [['mode', `pull, offers ${offers}`]] : [];
  if (graph !== null) {
    lines.push(['graph', formatPairs(graph.counts)]);
    if (graph.subsystems.length > 0) lines.push(['subsystems', graph.subsystems.join(', ')]);
  }
  const said = formatPairs(clusterState);
  return Object.keys(clusterState).length === 0 ? lines : [...lines, ['says', said]];
}

/** Facts as the dotted keys that `--require` takes. */
function factLines(facts: Readonly<Record<string, unknown>>): [string, string][] {
  const lines: [string, string][] = [];
  const walk = (prefix: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) walk(`${prefix}.${key}`, inner);
    } else lines.push([prefix, String(value)]);
  };
  for (const [key, value] of Object.entries(facts)) walk(`facts.${key}`, value);
  return lines.slice(0, factsShownMax);
}
