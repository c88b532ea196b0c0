import type { Schedule } from '../../core/contract/resources.ts';
import { formatFields, type Table } from '../output/table.ts';

export function schedulePath(name: string, rest = ''): string {
  return `/v1/schedules/${encodeURIComponent(name)}${rest}`;
}

export const scheduleTable: Table<Schedule> = {
  name: (schedule) => schedule.name,
  columns: [
    { title: 'NAME', of: (schedule) => schedule.name },
    { title: 'TIME', of: timeText },
    { title: 'ZONE', of: (schedule) => schedule.timezone, wide: true },
    { title: 'NEXT', of: (schedule) => (schedule.paused ? 'paused' : (schedule.next[0] ?? '-')) },
    { title: 'LAST', of: (schedule) => schedule.lastRun?.at ?? '-' },
    { title: 'OUTCOME', of: (schedule) => schedule.lastRun?.outcome ?? '-' },
    { title: 'JOB', of: (schedule) => schedule.lastRun?.job ?? '-', wide: true },
  ],
};

function timeText({ cron, everySeconds }: Schedule): string {
  return cron ?? `every ${everySeconds} s`;
}

export function describeSchedule(schedule: Schedule): string {
  const { lastRun, next } = schedule;
  return formatFields([
    ['name', schedule.name],
    ['time', timeText(schedule)],
    ['time zone', schedule.timezone],
    ['overlap', schedule.overlap],
    ['catch up', schedule.catchUp],
    ['from', schedule.startAt],
    ['until', schedule.endAt],
    ['paused', schedule.paused ? 'yes' : null],
    ['next', next.length === 0 ? null : next.join(' ')],
    ['last', lastRun === null ? null : `${lastRun.at} ${lastRun.outcome} ${lastRun.detail}`.trim()],
    ['last job', lastRun?.job ?? null],
  ]);
}
