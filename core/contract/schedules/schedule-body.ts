import * as z from 'zod';
import { parseCron } from '../../schedules/cron.ts';
import {
  cronLengthMax,
  everySecondsMax,
  everySecondsMin,
  nextTimesShown,
  scheduleNameLengthMax,
} from '../../schedules/limits.ts';
import { catchUps, overlaps, runOutcomes } from '../../schedules/schedule.ts';
import { isZone } from '../../schedules/zone-clock.ts';
import { jobBodySchema } from '../job-body.ts';
import { nameSchema, text, timeSchema, whole } from '../text-schema.ts';

/** Jobs that are made again and again: what is sent, and what is answered. */

const cronSchema = z
  .string()
  .max(cronLengthMax)
  .superRefine((value, context) => {
    const cron = parseCron(value);
    if (typeof cron === 'string') context.addIssue({ code: 'custom', message: cron });
  });

export const scheduleBodySchema = z
  .strictObject({
    name: nameSchema.max(scheduleNameLengthMax, {
      error: `The name of a schedule has at most ${scheduleNameLengthMax} characters.`,
    }),
    cron: cronSchema.nullable().default(null).meta({
      description:
        'Minute, hour, day of the month, month, day of the week; or @daily and the like.',
    }),
    everySeconds: whole(everySecondsMin, everySecondsMax).nullable().default(null),
    timezone: text(64)
      .refine(isZone, { error: 'There is no such time zone; one is like "Europe/Berlin".' })
      .default('UTC'),
    job: jobBodySchema.refine(({ dependsOn }) => dependsOn.length === 0, {
      error: 'A job that is made again and again waits for no other.',
      path: ['dependsOn'],
    }),
    overlap: z.enum(overlaps).default('allow').meta({
      description: 'What becomes of a time at which the job of the last one still runs.',
    }),
    catchUp: z.enum(catchUps).default('none').meta({
      description: 'Which of the times that were missed are made up for.',
    }),
    startAt: timeSchema.nullable().default(null),
    endAt: timeSchema.nullable().default(null),
    paused: z.boolean().default(false),
  })
  .superRefine((body, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if ((body.cron === null) === (body.everySeconds === null)) {
      issue('cron', 'A schedule has exactly one of "cron" and "everySeconds".');
    }
    const { startAt, endAt } = body;
    if (startAt !== null && endAt !== null && Date.parse(endAt) < Date.parse(startAt)) {
      issue('endAt', 'It would end before it begins.');
    }
  })
  .meta({ id: 'ScheduleBody', description: 'A job that is made again and again.' });

export const schedulePatchSchema = z
  .strictObject({ paused: z.boolean() })
  .meta({ id: 'SchedulePatch', description: 'A schedule that is paused makes no jobs.' });

export const runAnswerSchema = z
  .strictObject({
    at: timeSchema.meta({ description: 'When it was due.' }),
    madeAt: timeSchema,
    job: z.string().nullable(),
    outcome: z.enum(runOutcomes),
    detail: z.string(),
  })
  .meta({ id: 'ScheduleRun', description: 'What became of one time of a schedule.' });

export const scheduleSchema = z
  .strictObject({
    name: nameSchema,
    cron: z.string().nullable(),
    everySeconds: z.int().nullable(),
    timezone: z.string(),
    job: z.record(z.string(), z.unknown()).meta({ description: 'The body of each job.' }),
    overlap: z.enum(overlaps),
    catchUp: z.enum(catchUps),
    startAt: timeSchema.nullable(),
    endAt: timeSchema.nullable(),
    paused: z.boolean(),
    createdAt: timeSchema,
    createdBy: z.string(),
    next: z.array(timeSchema).max(nextTimesShown),
    lastRun: runAnswerSchema.nullable(),
  })
  .meta({ id: 'Schedule' });

const pageOf = <S extends z.ZodType>(item: S, id: string) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().nullable() }).meta({ id });

export const scheduleListSchema = pageOf(scheduleSchema, 'ScheduleList');
export const runListSchema = pageOf(runAnswerSchema, 'ScheduleRunList');

export type ScheduleBody = z.output<typeof scheduleBodySchema>;
export type ScheduleAnswer = z.output<typeof scheduleSchema>;
export type ScheduleRunAnswer = z.output<typeof runAnswerSchema>;
