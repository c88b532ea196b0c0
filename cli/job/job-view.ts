import type { Execution, Job, Waiting } from '../../core/contract/resources.ts';
import { isFinal } from '../../core/model/job.ts';
import { formatAge, formatDurationMs, secondsSince } from '../input/duration.ts';
import { executionsShownMax, rangesShownMax } from '../limits.ts';
import { paintState } from '../output/colour.ts';
import { formatBar } from '../output/progress-bar.ts';
import { clean, formatFields, formatPairs, formatTable, type Table } from '../output/table.ts';
import type { LastWords } from './last-words.ts';

/** How a job is shown: one line in a list, a page of its own. */
export function jobTable(nowMs: number, ends: LastWordsOf = new Map()): Table<Job> {
  return {
    name: (job) => job.id,
    columns: [
      { title: 'ID', of: (job) => job.id },
      { title: 'NAME', of: (job) => job.name ?? '-' },
      { title: 'STATE', of: (job) => job.status.state, state: true },
      { title: '%', of: (job) => job.status.percent, right: true },
      { title: 'CHUNKS', of: chunksText, right: true },
      { title: 'POWER', of: powerText, right: true },
      {
        title: 'AGE',
        of: (job) => formatAge(job.createdAt, nowMs),
        by: (job) => secondsSince(job.createdAt, nowMs),
        right: true,
      },
      { title: 'POOL', of: (job) => job.spec.pool ?? '-', wide: true },
      { title: 'QUEUE', of: (job) => job.spec.queue ?? '-', wide: true },
      { title: 'PRIORITY', of: (job) => job.spec.priority ?? '-', right: true, wide: true },
      { title: 'LABELS', of: (job) => formatPairs(job.spec.labels), wide: true },
      { title: 'EDGE', of: edgeText, wide: true },
      { title: 'EXIT', of: ({ id }) => ends.get(id)?.exitCode ?? '-', right: true, wide: true },
      { title: 'OUTPUT', of: ({ id }) => ends.get(id)?.line ?? '-', wide: true },
      { title: 'REASON', of: (job) => reasonText(job), wide: true },
    ],
  };
}

type LastWordsOf = ReadonlyMap<string, LastWords>;

/** The first of its edges, and how many more. */
function edgeText({ status: { executions } }: Job): string {
  const [first, ...more] = executions;
  if (first === undefined) return '-';
  return more.length === 0 ? first.edge : `${first.edge} +${more.length}`;
}

function chunksText(job: Job): string {
  return `${job.status.chunks.done}/${job.status.chunks.total}`;
}

function powerText(job: Job): string | number {
  if (typeof job.spec.power === 'number') return job.spec.power;
  const each = job.spec.chunkPower;
  return typeof each === 'number' ? each * job.status.chunks.total : '-';
}

function reasonText(job: Job): string {
  return job.status.reason ?? job.status.waiting?.map((one) => one.reason).join(',') ?? '';
}

export const executionTable: Table<Execution> = {
  name: (execution) => execution.edge,
  columns: [
    { title: 'EDGE', of: (execution) => execution.edge },
    { title: 'POWER', of: (execution) => execution.power, right: true },
    { title: '%', of: (execution) => execution.percent, right: true },
    { title: 'CHUNKS', of: (execution) => shorten(execution.chunks) },
    { title: 'RUNNING', of: (execution) => shorten(execution.running) },
    { title: 'DEAD', of: (execution) => shorten(execution.dead) },
    { title: 'STARTED', of: (execution) => execution.startedAt ?? '-', wide: true },
    { title: 'ENDED', of: (execution) => execution.endedAt ?? '-', wide: true },
  ],
};

function shorten(ranges: string | null | undefined): string {
  const text = ranges || '-';
  return text.length <= rangesShownMax ? text : `${text.slice(0, rangesShownMax - 1)}…`;
}

export function describeJob(
  job: Job,
  style: { colour: boolean; wide: boolean; nowMs: number },
): string {
  const { status } = job;
  const counts = Object.entries(status.chunks).filter(([name, n]) => name !== 'total' && n > 0);
  const chunks = counts.map(([name, n]) => `${n} ${name}`).join(', ');
  const fields = formatFields([
    ['job', job.name === null ? job.id : `${job.id} (${job.name})`],
    ['pool', job.spec.pool ?? null],
    ['queue', style.wide ? (job.spec.queue ?? null) : null],
    ['priority', style.wide ? (job.spec.priority ?? null) : null],
    ['labels', style.wide ? formatPairs(job.spec.labels) : null],
    ['chunks', `${status.chunks.total}${chunks === '' ? '' : `: ${chunks}`}`],
    ['power', powerText(job)],
    ['created', `${job.createdAt} by ${job.createdBy}`],
    ['took', tookText(job, style.nowMs)],
    ['reason', status.reason],
    ['bill', style.wide && status.receipt ? formatPairs(status.receipt) : null],
  ]);
  const state = paintState(status.state, status.state, style.colour);
  const lines = [`${formatBar(status.percent, 24)} ${status.percent} %  ${state}\n${fields}`];
  const executions = status.executions ?? [];
  if (executions.length > 0) {
    const shown = style.wide ? executions : executions.slice(0, executionsShownMax);
    lines.push(`\n${formatTable(shown, executionTable, style)}`);
    if (shown.length < executions.length) {
      lines.push(`… ${executions.length - shown.length} more: edgewise job executions ${job.id}\n`);
    }
  }
  if (!isFinal(status.state)) lines.push(describeWaiting(status.waiting ?? []));
  return lines.join('');
}

function tookText(job: Job, nowMs: number): string | null {
  const { startedAt, endedAt } = job.status;
  if (startedAt === null) return null;
  return formatDurationMs((endedAt === null ? nowMs : Date.parse(endedAt)) - Date.parse(startedAt));
}

export function describeWaiting(waiting: readonly Waiting[]): string {
  if (waiting.length === 0) return '';
  const lines = waiting.map((one) => `  ${waitingText(one)}\n`);
  return `\nwaiting\n${lines.join('')}`;
}

/** How many chunks, why, and on how many edges it is so. */
export function waitingText(one: Waiting): string {
  const detail = one.detail === '' ? '' : `: ${one.detail}`;
  return clean(`${one.chunks} × ${reasonOnEdges(one)}${detail}`);
}

export function reasonOnEdges({ reason, edges }: Waiting): string {
  return edges > 0 ? `${reason} on ${edges} ${edges === 1 ? 'edge' : 'edges'}` : reason;
}
