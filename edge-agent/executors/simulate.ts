import type { Clock } from '../host/clock.ts';
import { powerDrawsMax, simulateNoteMs } from '../limits.ts';
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
  readonly group: Group;
};

/** Chunks that were started together and take the same time share an alarm. */
type Group = { readonly keys: string[]; left: number; cancel: () => void };

/** What small devices draw, in watts. */
const drawnPowers = [5, 10, 22, 37];
const drawSeconds = 10;

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
    chunk.group.left -= 1;
    if (chunk.group.left === 0) chunk.group.cancel();
    if (isNoted(chunk)) deps.notes.remove(key);
    deps.ended({ name: chunk.order, end: { kind }, output: null, durationMs: chunk.totalMs });
  };

  /** Those of them that were not stopped, and that no later order of the same name replaced. */
  const endAll = (group: Group): void => {
    for (const key of group.keys) if (running.get(key)?.group === group) end(key, 'done');
  };

  const writeNotes = (): void => {
    cancelNotes = null;
    const nowMs = deps.clock.monotonicMs();
    let isAnyLong = false;
    for (const [key, chunk] of running) {
      if (!isNoted(chunk)) continue;
      isAnyLong = true;
      const workedMs = chunk.creditMs + (nowMs - chunk.startedAtMs);
      if (workedMs - chunk.creditMs >= simulateNoteMs / 2) {
        deps.notes.put(key, String(Math.floor(workedMs)));
      }
    }
    if (isAnyLong) cancelNotes = deps.clock.after(simulateNoteMs, writeNotes);
  };

  const add = (order: ChunkOrder, groups: Map<number, Group>, startedAtMs: number): void => {
    const key = keyOf(order);
    if (running.has(key)) return;
    const totalMs = durationMsOf(order, options.drawPower, random);
    const noted = !isNoted({ totalMs }) ? 0 : Number(deps.notes.all().get(key) ?? 0);
    const creditMs = Number.isFinite(noted) ? Math.min(noted, totalMs) : 0;
    const waitMs = totalMs - creditMs;
    const group = groups.get(waitMs) ?? { keys: [], left: 0, cancel: () => {} };
    groups.set(waitMs, group);
    group.keys.push(key);
    group.left += 1;
    running.set(key, { order, startedAtMs, creditMs, totalMs, group });
    if (isNoted({ totalMs })) cancelNotes ??= deps.clock.after(simulateNoteMs, writeNotes);
  };

  return {
    name: 'simulate',
    outlivesAgent: false,
    start(orders) {
      const groups = new Map<number, Group>();
      const startedAtMs = deps.clock.monotonicMs();
      for (const order of orders) add(order, groups, startedAtMs);
      for (const [waitMs, group] of groups) {
        if (waitMs === Number.POSITIVE_INFINITY) continue;
        group.cancel = deps.clock.after(waitMs, () => endAll(group));
      }
    },
    stop: (name: ChunkName) => end(keyOf(name), 'stopped'),
    percentOf(name) {
      const chunk = running.get(keyOf(name));
      if (chunk === undefined || chunk.totalMs < simulateNoteMs) return null;
      const workedMs = chunk.creditMs + (deps.clock.monotonicMs() - chunk.startedAtMs);
      return (100 * workedMs) / chunk.totalMs;
    },
    recover: () => Promise.resolve([]),
    resume: () => {},
    close() {
      cancelNotes?.();
      writeNotes();
      cancelNotes?.();
      for (const chunk of running.values()) chunk.group.cancel();
      running.clear();
      return Promise.resolve();
    },
  };
}

/** Of one that is over soon, and of one that never ends, nothing is lost. */
function isNoted({ totalMs }: Pick<Simulated, 'totalMs'>): boolean {
  return totalMs >= simulateNoteMs && totalMs < Number.POSITIVE_INFINITY;
}

function durationMsOf(order: ChunkOrder, drawPower: boolean, random: () => number): number {
  const run = order.spec.run;
  const simulate: { seconds?: number; wattSeconds?: number } =
    'simulate' in run ? run.simulate : { wattSeconds: order.power };
  const hasEnd = simulate.seconds !== undefined || simulate.wattSeconds !== undefined;
  if (order.spec.restart !== undefined && !hasEnd) return Number.POSITIVE_INFINITY;
  if (simulate.seconds !== undefined) return Math.max(0, simulate.seconds * 1_000);
  const { wattSeconds: asked = order.power } = simulate;
  const wattSeconds = Number.isFinite(asked) ? asked : order.power;
  if (!drawPower) return (wattSeconds / Math.max(order.power, Number.MIN_VALUE)) * 1_000;
  let left = wattSeconds;
  let seconds = 0;
  while (left > 0) {
    const power = drawnPowers[Math.floor(random() * drawnPowers.length)]!;
    const lasts = drawSeconds * (1 + Math.floor(random() * powerDrawsMax));
    const used = Math.min(lasts, left / power);
    seconds += used;
    left -= used * power;
  }
  return seconds * 1_000;
}
