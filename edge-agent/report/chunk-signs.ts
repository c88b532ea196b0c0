import { executorOf } from '../../core/model/job.ts';
import type { JobId } from '../../core/model/names.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { InstancePorts } from '../../core/protocol/instance-ports.ts';
import type { GivenPorts } from '../../core/services/service-port.ts';
import type { EdgeDeps } from '../edge/edge-deps.ts';
import type { RunningChunk } from '../edge/next-steps.ts';
import { askInstance } from '../instances/ask-instance.ts';
import { watchReadiness } from '../instances/instance-readiness.ts';
import { watchChunkProgress } from './chunk-progress.ts';
import type { ProgressView } from './progress.ts';

/** What running chunks show before they end: how far they are, that they are ready, and where. */
export type ChunkSigns = {
  look(): Pick<ProgressView, 'percents' | 'ready' | 'ports'>;
  watch(): void;
  stop(): void;
};

type Deps = Pick<EdgeDeps, 'name' | 'clock' | 'percentOf' | 'look' | 'executors' | 'ports'> & {
  readonly running: ReadonlyMap<JobId, ReadonlyMap<number, RunningChunk>>;
  readonly specOf: (job: JobId, chunk?: number) => AgentSpec | null;
  readonly changed: () => void;
};

export function watchChunkSigns(deps: Deps): ChunkSigns {
  const progress = watchChunkProgress({ ...deps, risen: deps.changed });
  const { name: edge, executors, ports = noPorts } = deps;
  const readiness = watchReadiness({
    ...deps,
    readinessOf: (job, chunk) => deps.specOf(job, chunk)?.ready ?? null,
    ask(instance, probe) {
      const spec = deps.specOf(instance.job, instance.chunk);
      if (spec === null) return Promise.resolve(false);
      const executor = executors.get(executorOf(spec.run));
      return askInstance({ ...instance, edge, spec }, probe, { ports, executor });
    },
  });
  return {
    look: () => ({ percents: progress.look(), ready: readiness.look(), ports: portsOf(deps) }),
    watch() {
      progress.watch();
      readiness.watch();
    },
    stop() {
      progress.stop();
      readiness.stop();
    },
  };
}

const noPorts = { of: (): GivenPorts => new Map() };

/** Of every service that has ports and of which something runs. */
function portsOf({ name: edge, running, ports = noPorts, specOf }: Deps): ProgressView['ports'] {
  const all = new Map<JobId, InstancePorts>();
  for (const [job, chunks] of running) {
    if (specOf(job)?.ports === undefined) continue;
    const given = new Map<number, GivenPorts>();
    for (const [chunk, { attempt, stopping }] of chunks) {
      if (!stopping) given.set(chunk, ports.of({ edge, job, chunk, attempt }));
    }
    all.set(job, given);
  }
  return all;
}
