import { type Clock, sleep } from '../host/clock.ts';
import type { Log } from '../host/log-lines.ts';
import { reconnectMsMin } from '../limits.ts';
import { makeBackoff } from '../link/backoff.ts';
import type { DownstreamApi, DownstreamEdge } from './downstream-api.ts';
import { siteEdgesEveryMs, siteStatsEveryMs } from './limits.ts';
import { type Site, siteOf } from './site-facts.ts';

/** What the pool below has, looked at again and again. */
export type SiteWatch = {
  /** As it was when it last answered. */
  current(): Site;
  /** Power that nothing there uses. */
  free(): number;
  /** Why nothing can be handed over now, or `null`. */
  trouble(): string | null;
};

export type SiteDeps = {
  readonly api: Pick<DownstreamApi, 'power' | 'edges'>;
  readonly pool: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
};

/**
 * Begins with the first answer, tried for until it comes: nobody knows before what such an edge
 * has. `null`: stopped before that.
 */
export async function watchSite(deps: SiteDeps): Promise<SiteWatch | null> {
  const { api, pool, clock, log, signal } = deps;
  let edges: readonly DownstreamEdge[] = [];
  let power = { total: 0, free: 0 };
  let trouble: string | null = null;
  let edgesAtMs = Number.NEGATIVE_INFINITY;

  const look = async (): Promise<void> => {
    try {
      const nowMs = clock.monotonicMs();
      if (nowMs - edgesAtMs >= siteEdgesEveryMs) {
        edges = await api.edges(pool);
        edgesAtMs = nowMs;
      }
      power = await api.power(pool);
      if (trouble !== null) log('The deployment below answers again.');
      trouble = null;
    } catch (error) {
      const { message } = error as Error;
      if (trouble === null) log(`The deployment below: ${message} Trying on.`, 'warning');
      trouble = 'the deployment below does not answer';
    }
  };

  // A pool that nobody has made yet is looked for no more rarely than one that is there.
  const backoff = makeBackoff(reconnectMsMin, siteStatsEveryMs);
  for (await look(); trouble !== null; await look()) {
    await sleep(clock, backoff.next(), signal);
    if (signal.aborted) return null;
  }
  void (async () => {
    for (;;) {
      await sleep(clock, siteStatsEveryMs, signal);
      if (signal.aborted) return;
      await look();
    }
  })();
  return {
    current: () => siteOf(power.total, edges),
    free: () => power.free,
    trouble: () => trouble,
  };
}
