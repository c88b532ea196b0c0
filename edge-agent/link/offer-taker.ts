import type { Clock } from '../host/clock.ts';
import type { Log } from '../host/log-lines.ts';
import type { ControlPlaneApi } from './control-plane-api.ts';

/**
 * How an edge takes its work by itself: it looks at what it is offered now and then, and accepts
 * as much as the control plane knows to be free here. What it took stands in its next work
 * document, so an answer that is lost on its way costs nothing, and neither does a refusal.
 */
export type PullOptions = {
  /** Offers that are looked at together. */
  readonly max: number;
  readonly everyMs: number;
  readonly offers: 'named' | 'pool';
};

export type TakerDeps = Pick<PullOptions, 'max' | 'everyMs'> & {
  readonly api: Pick<ControlPlaneApi, 'listOffers' | 'acceptOffers'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly edge: string;
  readonly log: Log;
};

/** Called at each poll; looks when it is time. What goes wrong is said once, and tried again. */
export function makeTaker({ api, clock, edge, log, max, everyMs }: TakerDeps) {
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let saidWhy = '';
  return async (secret: string): Promise<void> => {
    const nowMs = clock.monotonicMs();
    if (nowMs - lookedAtMs < everyMs) return;
    lookedAtMs = nowMs;
    try {
      const jobs = await api.listOffers(secret, edge, max);
      if (jobs.length > 0) await api.acceptOffers(secret, edge, jobs);
      saidWhy = '';
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (why !== saidWhy) log(`${edge}: takes nothing now: ${why}. Trying on.`, 'warning');
      saidWhy = why;
    }
  };
}
