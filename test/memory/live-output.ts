import { livePartBytesMax, livePartKeptSeconds } from '../../core/live/limits.ts';
import type { LiveOutput } from '../../core/ports/live-output.ts';
import type { KeptPart, Stored } from './stored.ts';

/** Outputs that are followed, in memory. */
export function createMemoryLiveOutput(stored: Stored): LiveOutput {
  const { liveWishes } = stored;
  const partsOf = (job: Parameters<LiveOutput['parts']>[0]) => {
    const known = stored.liveParts.get(job) ?? new Map<string, KeptPart>();
    stored.liveParts.set(job, known);
    return known;
  };
  return {
    async wishes(edge) {
      return liveWishes.get(edge) ?? { wishes: [], version: 0 };
    },
    async saveWishes(edge, seen, wishes) {
      const known = liveWishes.get(edge);
      if (known !== undefined && known.version !== seen) return false;
      liveWishes.set(edge, { wishes, version: seen + 1 });
      return true;
    },
    async keepPart(job, chunk, part, nowMs) {
      const goneAtMs = nowMs + livePartKeptSeconds * 1_000;
      partsOf(job).set(`${chunk}/${part.attempt}/${part.offset}`, { chunk, part, goneAtMs });
    },
    async parts(job, chunk, { attempt, offset }, nowMs) {
      return [...partsOf(job).values()]
        .filter((it) => it.chunk === chunk && it.goneAtMs > nowMs)
        .map(({ part }) => part)
        .filter(
          (part) =>
            part.attempt > attempt ||
            (part.attempt === attempt && part.offset >= offset - livePartBytesMax),
        )
        .sort((a, b) => a.attempt - b.attempt || a.offset - b.offset);
    },
  };
}
