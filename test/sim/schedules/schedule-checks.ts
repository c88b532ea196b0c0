import { scheduleClaimMs, scheduleLateMsMax } from '../../../core/schedules/limits.ts';
import { type Run, runId, type Schedule, timesOf } from '../../../core/schedules/schedule.ts';
import { must } from '../checks/truth.ts';
import { isOf, type MadeJob, type ScheduleWorld } from './schedule-world.ts';

/** What users were promised of a schedule, held against what became of each of its times. */
export async function checkSchedules(world: ScheduleWorld): Promise<void> {
  for (const schedule of world.schedules) {
    const listed = await world.stores.schedules.runs(schedule.name, null, 10_000);
    const runs = new Map(listed.map(({ run }) => [run.atMs, run]));
    const made = world.made.filter(({ id }) => isOf(id, schedule));
    checkTimes(schedule, made, runs, world);
    checkOverlap(schedule, made);
  }
}

const kept = (run: Run | undefined): boolean =>
  run?.outcome === 'made' || run?.outcome === 'skipped';

function checkTimes(
  schedule: Schedule,
  made: readonly MadeJob[],
  runs: ReadonlyMap<number, Run>,
  { ticks, timeline }: ScheduleWorld,
): void {
  const times: number[] = [];
  for (const atMs of timesOf(schedule, schedule.createdAtMs)) {
    if (atMs > timeline.nowMs - 2 * 60_000) break;
    times.push(atMs);
  }
  const ids = new Set(made.map(({ id }) => id as string));
  must(ids.size === made.length, () => `${schedule.name} made a job twice`);
  const known = new Set(times.map((atMs) => runId(schedule.name, atMs)));
  const late = (id: string): boolean => id > runId(schedule.name, times.at(-1) ?? 0);
  for (const id of ids) must(known.has(id) || late(id), () => `${id} was made at no time`);
  for (const atMs of times) {
    const run = runs.get(atMs);
    const said = () => `${schedule.name} (${schedule.catchUp}) at ${new Date(atMs).toISOString()}`;
    const isMade = ids.has(runId(schedule.name, atMs));
    must(run?.outcome !== 'made' || isMade, () => `${said()} says that it made a job`);
    if (isMade || kept(run)) continue;
    // A missed time stands for those before it.
    const missed = [...runs.values()].find((it) => it.outcome === 'missed' && it.atMs >= atMs);
    must(missed !== undefined, () => `${said()} is made up for by nothing, and said by nothing`);
    must(schedule.catchUp !== 'all', () => `${said()} is given up`);
    const until = atMs + scheduleLateMsMax;
    const tick = ticks.find(
      (it) => it.isGood && it.beganAtMs >= atMs && it.endedAtMs <= until && isAlone(it, ticks),
    );
    must(tick === undefined, () => `${said()} is given up though a tick was there`);
    if (schedule.catchUp !== 'one') continue;
    const newest = times.findLast((one) => one <= missed!.madeAtMs) ?? atMs;
    const isNewestMade = ids.has(runId(schedule.name, newest)) || kept(runs.get(newest));
    must(isNewestMade, () => `${said()} was missed, and so was the newest`);
  }
}

/** No other may have claimed what it looked at. */
function isAlone(tick: ScheduleWorld['ticks'][number], ticks: ScheduleWorld['ticks']): boolean {
  const claimedFromMs = tick.beganAtMs - scheduleClaimMs;
  return !ticks.some(
    (it) => it !== tick && it.beganAtMs >= claimedFromMs && it.beganAtMs <= tick.endedAtMs,
  );
}

/** Of two jobs of a schedule that run at once, the earlier was asked to end, or they may. */
function checkOverlap({ name, overlap }: Schedule, made: readonly MadeJob[]): void {
  if (overlap === 'allow') return;
  for (const { id, others } of made) {
    const [open] = others.filter(({ status }) => overlap === 'skip' || !status.cancelled);
    must(open === undefined, () => `${id} of ${name} was made beside ${open?.job.id} (${overlap})`);
  }
}
