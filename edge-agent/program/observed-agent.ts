import type { Journal } from '../disk/journal.ts';
import type { EdgeLife } from '../edge/edge-life.ts';
import type { Log } from '../host/log-lines.ts';
import type { EndCounts, ObservedAgent } from '../metrics/agent-figures.ts';
import { isLoopback } from '../metrics/metrics-address.ts';
import { type MetricsServer, openMetrics } from '../metrics/metrics-server.ts';
import type { AgentOptions } from './agent-options.ts';
import { agentVersion } from './version.ts';

/** Before anything is begun: an agent that should be watched and cannot be does not start. */
export async function metricsOf(
  { metrics: address }: Pick<AgentOptions, 'metrics'>,
  log: Log,
): Promise<MetricsServer | null> {
  if (address === null) return null;
  const server = await openMetrics(address);
  const { host } = address;
  log(`Figures are at http://${host.includes(':') ? `[${host}]` : host}:${server.port}/metrics`);
  if (!isLoopback(host)) log('Whoever reaches this host can read its figures.', 'warning');
  return server;
}

type Observed = {
  readonly lives: ReadonlyMap<string, EdgeLife>;
  readonly journal: Journal;
  readonly endCounts: EndCounts;
  readonly capacityPower: () => number;
};

/** What is so just now. */
export function observe(
  { lives, journal, endCounts, capacityPower }: Observed,
  { transport }: Pick<AgentOptions, 'transport'>,
): ObservedAgent {
  const { user, system } = process.cpuUsage();
  return {
    version: agentVersion,
    transport,
    edges: [...lives.values()].map(({ state, edge }) => ({
      state,
      running: edge.running,
      memory: edge.memory(),
      refused: edge.refusals.byJob().size,
    })),
    capacityPower: capacityPower(),
    journal: journal.state(),
    ends: endCounts,
    process: {
      startedAtMs: Date.now() - 1_000 * process.uptime(),
      cpuSeconds: (user + system) / 1_000_000,
      residentBytes: process.memoryUsage.rss(),
    },
  };
}
