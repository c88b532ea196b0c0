import type { Clock } from '../host/clock.ts';
import { simulateNoteMs } from '../limits.ts';
import {
  type ChunkName,
  type ChunkOrder,
  type Executor,
  type ExecutorDeps,
  keyOf,
} from './executor.ts';

/**
 * Chunks that only take their time: `seconds`, or watt-seconds divided by the power that the
 * chunk reserves.
 *
 * What a chunk has worked is noted every second, and a restart goes on from the note; the time in
 * which the agent was down is never counted as work. With `drawPower` a chunk draws a random
 * power of a small device instead of what it reserves, and a new one after every few seconds.
 */
export type SimulateOptions = { readonly drawPower: boolean; readonly random?: () => number };

type Simulated = {
  readonly order: ChunkOrder;
  readonly startedAtMs: number;
  readonly creditMs: number;
  readonly totalMs: number;
  readonly cancel: () => void;
};

/** What small devices draw, in watts. */
const drawnPowers = [5, 10, 22, 37];
const drawSeconds = 10;
const drawsMax = 20;

export function makeSimulate(
  deps: ExecutorDeps & { clock: Clock },
  options: SimulateOptions,
): Executor {
  const running = new Map<string, Simulated>();
  let cancelNotes: (() => void) | null = null;
  const random = options.random ?? Math.random;

  const end = (key: string, kind: 'done' | 'stopped'): void => {
    const chunk = running.get(key);
    if (chunk === undefined) return;
    running.delete(key);
    chunk.cancel();
    if (chunk.totalMs >= simulateNoteMs) deps.notes.remove(key);
    deps.ended({ name: chunk.order, end: { kind }, output: null, durationMs: chunk.totalMs });
  };

  const writeNotes = (): void => {
    cancelNotes = null;
    const nowMs = deps.clock.monotonicMs();
    let isAnyLong = false;
    for (const [key, chunk] of running) {
      if (chunk.totalMs < simulateNoteMs) continue;
      isAnyLong = true;
      const workedMs = chunk.creditMs + (nowMs - chunk.startedAtMs);
      if (workedMs - chunk.creditMs >= simulateNoteMs / 2) {
        deps.notes.put(key, String(Math.floor(workedMs)));
      }
    }
    if (isAnyLong) cancelNotes = deps.clock.after(simulateNoteMs, writeNotes);
  };

  const start = (order: ChunkOrder): void => {
    const key = keyOf(order);
    if (running.has(key)) return;
    const totalMs = durationMsOf(order, options.drawPower, random);
    const noted = totalMs < simulateNoteMs ? 0 : Number(deps.notes.all().get(key) ?? 0);
    const creditMs = Number.isFinite(noted) ? Math.min(noted, totalMs) : 0;
    running.set(key, {
      order,
      startedAtMs: deps.clock.monotonicMs(),
      creditMs,
      totalMs,
      cancel: deps.clock.after(totalMs - creditMs, () => end(key, 'done')),
    });
    if (totalMs >= simulateNoteMs) cancelNotes ??= deps.clock.after(simulateNoteMs, writeNotes);
  };

  return {
    name: 'simulate',
    outlivesAgent: false,
    start: (orders) => orders.forEach(start),
    stop: (name: ChunkName) => end(keyOf(name), 'stopped'),
    recover: () => Promise.resolve([]),
    resume: () => {},
    close() {
      cancelNotes?.();
      writeNotes();
      cancelNotes?.();
      for (const chunk of running.values()) chunk.cancel();
      running.clear();
      return Promise.resolve();
    },
  };
}

function durationMsOf(order: ChunkOrder, drawPower: boolean, random: () => number): number {
  const run = order.spec.run;
  const simulate = 'simulate' in run ? run.simulate : { wattSeconds: order.power };
  if ('seconds' in simulate) return Math.max(0, simulate.seconds * 1_000);
  const wattSeconds = Number.isFinite(simulate.wattSeconds) ? simulate.wattSeconds : order.power;
  if (!drawPower) return (wattSeconds / Math.max(order.power, Number.MIN_VALUE)) * 1_000;
  let left = wattSeconds;
  let seconds = 0;
  while (left > 0) {
    const power = drawnPowers[Math.floor(random() * drawnPowers.length)]!;
    const lasts = drawSeconds * (1 + Math.floor(random() * drawsMax));
    const used = Math.min(lasts, left / power);
    seconds += used;
    left -= used * power;
  }
  return seconds * 1_000;
}
