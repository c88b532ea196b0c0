import { cpus } from 'node:os';
import { type ExecutorName, executorNames } from '../../core/model/job.ts';
import type { SpecLibrary } from '../disk/spec-library.ts';
import type { EdgeLife } from '../edge/edge-life.ts';
import { type EdgewiseExecutor, makeEdgewise } from '../executors/edgewise.ts';
import type { ExecutorDeps } from '../executors/executor.ts';
import { type BringDeps, bringResults } from '../federation/bring-results.ts';
import { type DownstreamApi, makeDownstreamApi } from '../federation/downstream-api.ts';
import { siteStatsEveryMs } from '../federation/limits.ts';
import { stageId } from '../federation/part.ts';
import { type SiteWatch, watchSite } from '../federation/site.ts';
import { factsOfSite } from '../federation/site-facts.ts';
import type { Clock } from '../host/clock.ts';
import { makeFactsBoard } from '../host/facts.ts';
import type { Host } from '../host/host-inspection.ts';
import type { AgentOptions } from './agent-options.ts';
import type { DownstreamOptions } from './downstream-options.ts';
import { UsageError } from './usage-error.ts';
import { agentVersion } from './version.ts';

/** The deployment that the edges of this process hand their work to. */
export type Downstream = {
  readonly api: DownstreamApi;
  readonly site: SiteWatch;
  readonly pool: string;
  readonly url: string;
};

/** `null`: stopped before it ever answered. */
export async function openDownstream(
  { api: url, token, pool }: DownstreamOptions,
  around: { readonly clock: Clock; readonly log: (line: string) => void },
  signal: AbortSignal,
): Promise<Downstream | null> {
  if (token === null || token === '') {
    throw new UsageError('There is no token of the deployment below in the file that is named.');
  }
  const api = makeDownstreamApi(url, token);
  const site = await watchSite({ api, pool, ...around, signal });
  return site === null ? null : { api, site, pool, url };
}

/** What runs a chunk is found below. */
export const hostWithoutPrograms: Host = {
  executors: new Map(),
  containerEngine: null,
  gpus: 0,
  software: {},
};

export function executorBelow(
  { api, pool, url }: Downstream,
  deps: ExecutorDeps & {
    readonly clock: Clock;
    readonly log: (line: string) => void;
    readonly options: Pick<AgentOptions, 'api'>;
    readonly specs: Pick<SpecLibrary, 'find'>;
    readonly lives: ReadonlyMap<string, EdgeLife>;
    readonly directories: BringDeps['directories'];
    readonly signal: AbortSignal;
  },
): EdgewiseExecutor {
  return makeEdgewise({
    ...deps,
    ...{ api, pool, specOf: deps.specs.find },
    stages: { above: stageId(deps.options.api), below: stageId(url) },
    bring: (left) => bringResults({ ...deps, api }, left),
    changed: (edge) => deps.lives.get(edge)?.edge.moved(),
  });
}

/** Whatever a job runs goes below; that nothing there can run it is seen there. */
export function forEveryRun(
  executor: EdgewiseExecutor,
): ReadonlyMap<ExecutorName, EdgewiseExecutor> {
  return new Map(executorNames.map((name) => [name, executor]));
}

/** What `--power measured` counts for a core. */
const powerPerCore = 100;

/** What an edge has: what its cluster was registered with, what the pool below has, or its own. */
export function powerOf(
  { power }: Pick<AgentOptions, 'power'>,
  registered: number | undefined,
  downstream: Downstream | null,
): () => number {
  if (downstream !== null) return () => downstream.site.current().power;
  const own = registered ?? power ?? cpus().length * powerPerCore;
  return () => own;
}

export function boardOfSite(
  { site }: Downstream,
  clock: Clock,
  health: () => string,
  labels: Readonly<Record<string, string>>,
): ReturnType<typeof makeFactsBoard> {
  const collect = () =>
    factsOfSite(site.current(), { version: agentVersion, health: health(), labels });
  return makeFactsBoard(clock, collect, siteStatsEveryMs);
}
