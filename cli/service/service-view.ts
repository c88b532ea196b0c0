import type { Chunk, Job } from '../../core/contract/resources.ts';
import { formatAge, secondsSince } from '../input/duration.ts';
import { describeWaiting } from '../job/job-view.ts';
import { paintState } from '../output/colour.ts';
import { formatFields, formatTable, type Table } from '../output/table.ts';

/** How a service is shown: one line in a list, a page of its own with its instances. */
export function serviceTable(nowMs: number): Table<Job> {
  return {
    name: (job) => job.id,
    columns: [
      { title: 'ID', of: (job) => job.id },
      { title: 'NAME', of: (job) => job.name ?? '-' },
      { title: 'STATE', of: (job) => job.status.state, state: true },
      { title: 'READY', of: readyText, right: true },
      { title: 'RESTARTS', of: (job) => job.status.service?.restarts ?? '-', right: true },
      {
        title: 'AGE',
        of: (job) => formatAge(job.createdAt, nowMs),
        by: (job) => secondsSince(job.createdAt, nowMs),
        right: true,
      },
      { title: 'POOL', of: (job) => job.spec.pool ?? '-', wide: true },
    ],
  };
}

export function readyText({ status: { service } }: Job): string {
  return service === undefined ? '-' : `${service.ready}/${service.wanted}`;
}

/** Where it is brought to, and how far it has come. */
export function rolloutText({ generation: wanted, status: { service } }: Job): string {
  if (service === undefined) return '-';
  const { generation, rollout, updated, rolloutReason } = service;
  const why = rolloutReason === null ? '' : `: ${rolloutReason}`;
  const far = `${updated}/${service.wanted}`;
  if (wanted > generation && rollout !== 'rolled-back') return `generation ${wanted} is wanted`;
  return rollout === 'done'
    ? `generation ${generation}`
    : `generation ${generation}, ${rollout}, ${far}${why}`;
}

type Style = { readonly colour: boolean; readonly wide: boolean; readonly nowMs: number };

export function describeService(job: Job, instances: readonly Chunk[], style: Style): string {
  const { status, spec } = job;
  const fields = formatFields([
    ['service', job.name === null ? job.id : `${job.id} (${job.name})`],
    ['state', paintState(status.state, status.state, style.colour)],
    ['ready', readyText(job)],
    ['rollout', rolloutText(job)],
    ['restarts', status.service?.restarts ?? null],
    ['restart', spec.restart?.policy ?? null],
    ['pool', spec.pool],
    ['created', `${job.createdAt} by ${job.createdBy}`],
    ['reason', status.reason],
  ]);
  const table =
    instances.length === 0 ? '' : `\n${formatTable(instances, instanceTable(style), style)}`;
  return `${fields}${table}${describeWaiting(status.waiting)}`;
}

/** Where each is reached, so that a shell can go there. */
function portsText({ ports = [] }: Chunk): string {
  if (ports.length === 0) return '-';
  return ports.map(({ name, host, port }) => `${name}=${host ?? '?'}:${port}`).join(' ');
}

function instanceTable({ nowMs }: Style): Table<Chunk> {
  return {
    name: (it) => String(it.chunk),
    columns: [
      { title: 'INSTANCE', of: (it) => it.chunk, right: true },
      { title: 'STATE', of: (it) => it.state, state: true },
      { title: 'READY', of: (it) => (it.ready === true ? 'yes' : 'no') },
      { title: 'EDGE', of: (it) => it.edge ?? '-' },
      { title: 'GENERATION', of: (it) => it.generation ?? '-', right: true },
      { title: 'PORTS', of: portsText },
      { title: 'RESTARTS', of: (it) => it.restarts ?? '-', right: true },
      { title: 'LAST EXIT', of: (it) => it.lastExit?.reason ?? it.lastExit?.exitCode ?? '-' },
      { title: 'ENDED', of: (it) => formatAge(it.lastExit?.at ?? null, nowMs), right: true },
    ],
  };
}
