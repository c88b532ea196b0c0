import type { JobId } from '../../core/model/names.ts';
import { percentsMax } from '../../core/protocol/limits.ts';
import type { Percents } from '../../core/protocol/percents.ts';
import type { RunningChunk } from '../edge/next-steps.ts';
import type { ChunkName } from '../executors/executor.ts';
import type { Clock } from '../host/clock.ts';
import type { OutputPart } from '../launcher/launcher-protocol.ts';
import {
  percentsLookedAtMax,
  percentsReadMax,
  percentsReportedEveryMs,
  reportsProgressAfterMs,
} from '../limits.ts';
import { readProgressLines } from './progress-lines.ts';

/**
 * How far the chunks of one edge are, as far as they say it: asked for whenever a report is made,
 * and every ten seconds while something has run for half a minute, so that who watches a long chunk
 * sees it move. What a chunk once said it never takes back.
 */
export type ChunkProgress = {
  /** Of the chunks that run now. */
  look(): ReadonlyMap<JobId, Percents>;
  /** Something has started: from now on it is looked at, until nothing runs. */
  watch(): void;
  stop(): void;
};

type Known = {
  readonly attempt: number;
  readonly sinceMs: number;
  percent: number;
  reported: number;
};

export function watchChunkProgress(deps: {
  /** Of the edge. */
  readonly name: string;
  readonly clock: Clock;
  readonly running: ReadonlyMap<JobId, ReadonlyMap<number, RunningChunk>>;
  readonly percentOf: (name: ChunkName) => number | null;
  /** A part of what a chunk has printed; absent where nothing that runs here prints. */
  readonly look?: (name: ChunkName, from: number) => Promise<OutputPart | null>;
  /** A chunk that has run for long went on. */
  readonly risen: () => void;
}): ChunkProgress {
  const { clock, running } = deps;
  let known = new Map<string, Known>();
  const lines = readProgressLines(deps.look ?? (() => Promise.resolve(null)));
  let cancel: (() => void) | null = null;
  let isStopped = false;

  const refresh = (tell: (job: JobId, chunk: number, of: Known) => void): void => {
    const next = new Map<string, Known>();
    for (const [job, chunks] of running) {
      let left = percentsMax;
      for (const [chunk, { attempt, stopping }] of chunks) {
        if (stopping) continue;
        if (left-- === 0 || next.size === percentsLookedAtMax) break;
        const key = `${job}/${chunk}`;
        const before = known.get(key);
        const fresh = { attempt, sinceMs: clock.monotonicMs(), percent: 0, reported: 0 };
        const one = before?.attempt === attempt ? before : fresh;
        const name = { edge: deps.name, job, chunk, attempt };
        const said = deps.percentOf(name) ?? lines.percentOf(name) ?? 0;
        one.percent = Math.max(one.percent, Math.min(99, Math.floor(said)));
        next.set(key, one);
        tell(job, chunk, one);
      }
    }
    known = next;
  };

  /** What they wrote into their files counts; of the others it is read what they print. */
  const readLines = async (): Promise<void> => {
    const names: ChunkName[] = [];
    for (const [job, chunks] of running) {
      for (const [chunk, { attempt, stopping }] of chunks) {
        const name = { edge: deps.name, job, chunk, attempt };
        if (names.length < percentsReadMax && !stopping && deps.percentOf(name) === null) {
          names.push(name);
        }
      }
    }
    await lines.read(names);
  };

  const lookAgain = async (): Promise<void> => {
    await readLines();
    cancel = null;
    if (isStopped) return;
    let hasRisen = false;
    const before = clock.monotonicMs() - reportsProgressAfterMs;
    refresh((_job, _chunk, { sinceMs, percent, reported }) => {
      hasRisen ||= sinceMs <= before && percent > reported;
    });
    if (hasRisen) deps.risen();
    watch();
  };

  const watch = (): void => {
    if (cancel !== null || running.size === 0) return;
    cancel = clock.after(percentsReportedEveryMs, () => void lookAgain());
  };

  return {
    look() {
      const all = new Map<JobId, Map<number, number>>();
      refresh((job, chunk, one) => {
        one.reported = one.percent;
        if (one.percent === 0) return;
        const percents = all.get(job) ?? new Map<number, number>();
        all.set(job, percents.set(chunk, one.percent));
      });
      return all;
    },
    watch,
    stop() {
      isStopped = true;
      cancel?.();
    },
  };
}
