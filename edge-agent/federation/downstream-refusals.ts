import type { Clock } from '../host/clock.ts';
import { downstreamReasonMax, downstreamRefusalKeptMs } from './limits.ts';
import type { PartName } from './part.ts';

/** Jobs that nothing below runs, and why, for a while: then they may be tried again. */
export type DownstreamRefusals = {
  of(job: string): string | null;
  add(part: Pick<PartName, 'edge' | 'job'>, why: string): void;
};

export function makeDownstreamRefusals(deps: {
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly changed: (edge: string) => void;
}): DownstreamRefusals {
  const reasons = new Map<string, string>();
  return {
    of: (job) => reasons.get(job) ?? null,
    add({ edge, job }, why) {
      const isKnown = reasons.has(job);
      reasons.set(job, `below: ${why}`.slice(0, downstreamReasonMax));
      if (isKnown) return;
      deps.clock.after(downstreamRefusalKeptMs, () => {
        reasons.delete(job);
        deps.changed(edge);
      });
    },
  };
}
