import type { Schedule } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { jobFlags } from '../job/input/job-flags.ts';
import { readJob } from '../job/input/job-input.ts';
import { addSweep, sweepFlags } from '../job/input/sweep-input.ts';
import { describeSchedule } from './schedule-view.ts';

const { name: _, after: __, ...ofJob } = jobFlags;

export const command = defineCommand({
  name: 'schedule create',
  about: 'have a job made again and again',
  args: [{ name: 'NAME', noun: 'text' }],
  rest: 'PROGRAM ARGS…',
  flags: {
    cron: { kind: 'text', value: 'TIME', about: '"30 2 * * *": minute hour day month weekday' },
    every: { kind: 'number', value: 'S', min: 60, about: 'seconds from one to the next' },
    timezone: { kind: 'text', value: 'ZONE', about: 'like Europe/Berlin (UTC)' },
    overlap: {
      kind: 'text',
      value: 'allow|skip|replace',
      choices: ['allow', 'skip', 'replace'],
      about: 'while the job of the last time still runs',
    },
    'catch-up': {
      kind: 'text',
      value: 'none|one|all',
      choices: ['none', 'one', 'all'],
      about: 'times that were missed',
    },
    from: { kind: 'text', value: 'TIME', about: 'not before: 2026-05-01T00:00:00Z', rare: true },
    until: { kind: 'text', value: 'TIME', about: 'not after', rare: true },
    paused: { kind: 'switch', about: 'for later', rare: true },
    ...ofJob,
    ...sweepFlags,
  },
  examples: [
    'edgewise schedule create nightly --cron "30 2 * * *" --timezone Europe/Berlin -- backup',
    'edgewise schedule create poll --every 300 --overlap skip --file job.yaml',
  ],
  async run({ args, flags, rest, api, output, terminal }) {
    if ((flags.cron === undefined) === (flags.every === undefined)) {
      throw usage(
        'A schedule has --cron TIME or --every S.',
        'See: edgewise schedule create --help',
      );
    }
    const client = api();
    const job = await readJob(client, terminal, { ...flags, name: undefined, after: [] }, rest);
    await addSweep(client, terminal, job, flags);
    const given = {
      cron: flags.cron,
      everySeconds: flags.every,
      timezone: flags.timezone,
      overlap: flags.overlap,
      catchUp: flags['catch-up'],
      startAt: flags.from,
      endAt: flags.until,
      paused: flags.paused ? true : undefined,
    };
    const said = Object.entries(given).filter(([, value]) => value !== undefined);
    const body = { name: args[0], ...Object.fromEntries(said), job };
    const { body: made } = await client.ask<Schedule>('POST', '/v1/schedules', { body });
    output.single(made, made.name, () => describeSchedule(made));
    return exitCode.ok;
  },
});
