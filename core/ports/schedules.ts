import type { Run, Schedule } from '../schedules/schedule.ts';
import type { AuditEvent } from './audit.ts';

/** Jobs that are made again and again, and what became of each of their times. */
export type SchedulesStore = {
  find(name: string): Promise<Schedule | null>;
  /** All of them, by name; there are few. */
  list(): Promise<readonly Schedule[]>;
  /** Names of those whose next time has come, the longest due first. */
  listDue(nowMs: number, limit: number): Promise<readonly string[]>;
  /** `false`: there is one of this name. */
  create(schedule: Schedule, audit: AuditEvent): Promise<boolean>;
  /**
   * In place of what was seen, together with what became of its times. `false`: somebody was
   * faster, or it is gone; nothing is stored.
   */
  save(next: Schedule, seenTurn: number, runs: readonly Run[]): Promise<boolean>;
  /** What was made of it stays. `false`: somebody was faster. */
  remove(name: string, seenTurn: number): Promise<boolean>;
  /** What became of its times, newest first, from just before `position`. */
  runs(name: string, position: string | null, limit: number): Promise<readonly ListedRun[]>;
};

export type ListedRun = { readonly run: Run; readonly position: string };
