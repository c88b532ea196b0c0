import type { SchedulesStore } from '../../core/ports/schedules.ts';
import type { HeldSchedule, Stored } from './stored.ts';

/** Schedules in memory. */
export function createMemorySchedules(stored: Stored): SchedulesStore {
  const all = stored.schedules;
  const heldOf = (name: string): HeldSchedule => {
    const held = all.get(name) ?? { schedule: null, runs: new Map() };
    all.set(name, held);
    return held;
  };
  const there = () => [...all.values()].flatMap(({ schedule }) => schedule ?? []);
  return {
    async find(name) {
      return all.get(name)?.schedule ?? null;
    },
    async list() {
      return there().sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async listDue(nowMs, limit) {
      return there()
        .filter((it) => !it.paused && it.nextAtMs !== null && it.nextAtMs <= nowMs)
        .sort((a, b) => a.nextAtMs! - b.nextAtMs! || (a.name < b.name ? -1 : 1))
        .slice(0, limit)
        .map(({ name }) => name);
    },
    async create(schedule, audit) {
      const held = heldOf(schedule.name);
      if (held.schedule !== null) return false;
      held.schedule = schedule;
      stored.audit.push(audit);
      return true;
    },
    async save(next, seenTurn, runs) {
      const held = heldOf(next.name);
      if (held.schedule?.turn !== seenTurn) return false;
      held.schedule = next;
      for (const run of runs) held.runs.set(run.atMs, run);
      return true;
    },
    async remove(name, seenTurn) {
      const held = heldOf(name);
      if (held.schedule?.turn !== seenTurn) return false;
      held.schedule = null;
      return true;
    },
    async runs(name, position, limit) {
      return [...heldOf(name).runs.values()]
        .sort((a, b) => b.atMs - a.atMs)
        .map((run) => ({ run, position: String(run.atMs).padStart(14, '0') }))
        .filter((it) => position === null || it.position < position)
        .slice(0, limit);
    },
  };
}
