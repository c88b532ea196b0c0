import type { JobId } from '../../core/model/names.ts';
import { count } from '../../core/model/ranges.ts';
import type { EdgeMemory } from '../disk/replay.ts';
import type { EdgeState } from '../edge/edge-life.ts';
import { resultsOf } from '../edge/ledger.ts';
import { powerInUse, type RunningChunk } from '../edge/next-steps.ts';
import type { ChunkEnd } from '../executors/executor.ts';
import type { Family } from './prometheus-text.ts';

/**
 * What this process does, added up over its edges: no edge, job, user or address has a series, so
 * a scrape of a thousand edges is as long as that of one, and says nothing about whose work it is.
 */
export type ObservedEdge = {
  readonly state: EdgeState;
  readonly running: ReadonlyMap<JobId, ReadonlyMap<number, RunningChunk>>;
  readonly memory: Pick<EdgeMemory, 'work' | 'ledgers' | 'contactAtMs'>;
  readonly refused: number;
};

export type ObservedAgent = {
  readonly version: string;
  readonly transport: string;
  readonly edges: readonly ObservedEdge[];
  /** Of one edge. */
  readonly capacityPower: number;
  readonly journal: string;
  readonly ends: EndCounts;
  readonly process: {
    readonly startedAtMs: number;
    readonly cpuSeconds: number;
    readonly residentBytes: number;
  };
};

export type EndCounts = Readonly<Record<ChunkEnd['kind'], number>>;

const states = ['enrolling', 'offline', 'connected', 'revoked'] as const;

export function familiesOf(agent: ObservedAgent): Family[] {
  const { edges, ends, process } = agent;
  const sum = (of: (edge: ObservedEdge) => number): number =>
    edges.reduce((total, edge) => total + of(edge), 0);
  const contacts = edges.map(({ memory }) => (memory.contactAtMs ?? 0) / 1_000);
  return [
    {
      name: 'edgewise_agent_info',
      help: 'Which agent this is.',
      type: 'gauge',
      samples: [{ labels: { version: agent.version, transport: agent.transport }, value: 1 }],
    },
    {
      name: 'edgewise_edges',
      help: 'Edges of this process by what they are.',
      type: 'gauge',
      samples: states.map((state) => ({
        labels: { state },
        value: edges.filter((edge) => edge.state === state).length,
      })),
    },
    gauge('edgewise_power', 'Power of all edges.', edges.length * agent.capacityPower),
    gauge('edgewise_power_in_use', 'Power that running chunks reserve.', sum(powerInUse)),
    gauge('edgewise_jobs', 'Jobs that edges have chunks of.', sum(jobsOf)),
    gauge(
      'edgewise_jobs_refused',
      'Jobs that edges will not run.',
      sum((edge) => edge.refused),
    ),
    {
      name: 'edgewise_chunks',
      help: 'Chunks under way: running, being stopped, or with results that are being stored.',
      type: 'gauge',
      samples: (['running', 'stopping', 'sending'] as const).map((state) => ({
        labels: { state },
        value: sum((edge) => chunksIn(edge, state)),
      })),
    },
    gauge('edgewise_chunks_given', 'Chunks that edges hold and are not done with.', sum(givenTo)),
    gauge('edgewise_results_kept', 'Results not acknowledged yet.', sum(resultsIn)),
    {
      name: 'edgewise_chunks_ended_total',
      help: 'Chunks that ended here since the start.',
      type: 'counter',
      samples: (['done', 'failed', 'stopped'] as const).map((end) => ({
        labels: { end },
        value: ends[end],
      })),
    },
    gauge('edgewise_journal_ok', 'Whether results can be written down.', +(agent.journal === 'ok')),
    gauge(
      'edgewise_last_contact_timestamp_seconds',
      'When the control plane last answered the edge that has waited longest; 0: never.',
      contacts.length === 0 ? 0 : Math.min(...contacts),
    ),
    gauge(
      'process_start_time_seconds',
      'When the process began.',
      Math.round(process.startedAtMs) / 1_000,
    ),
    gauge('process_resident_memory_bytes', 'Its memory.', process.residentBytes),
    {
      name: 'process_cpu_seconds_total',
      help: 'Its time on a processor.',
      type: 'counter',
      samples: [{ value: process.cpuSeconds }],
    },
  ];
}

function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: 'gauge', samples: [{ value }] };
}

const jobsOf = ({ memory }: ObservedEdge): number => memory.work.jobs.size;

function givenTo({ memory }: ObservedEdge): number {
  let given = 0;
  for (const { ranges } of memory.work.jobs.values()) given += count(ranges);
  return given;
}

function resultsIn({ memory }: ObservedEdge): number {
  let results = 0;
  for (const ledger of memory.ledgers.values()) results += count(resultsOf(ledger));
  return results;
}

function chunksIn(edge: ObservedEdge, state: 'running' | 'stopping' | 'sending'): number {
  let chunks = 0;
  for (const byNumber of edge.running.values()) {
    for (const chunk of byNumber.values()) if (stateOf(chunk) === state) chunks += 1;
  }
  return chunks;
}

function stateOf({ sending, stopping }: RunningChunk): 'running' | 'stopping' | 'sending' {
  if (sending !== undefined) return 'sending';
  return stopping ? 'stopping' : 'running';
}
