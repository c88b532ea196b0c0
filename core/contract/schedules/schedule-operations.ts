import { bodyProblems, edit, missing, type Operation, once, paging } from '../operation.ts';
import {
  runAnswerSchema,
  runListSchema,
  scheduleBodySchema,
  scheduleListSchema,
  schedulePatchSchema,
  scheduleSchema,
} from './schedule-body.ts';

/** What the operations about schedules take and answer. */
export const scheduleOperations: Readonly<Record<string, Operation>> = {
  createSchedule: {
    summary: 'Have a job made again and again',
    tag: 'jobs',
    headers: ['idempotency-key'],
    body: { schema: scheduleBodySchema },
    answers: { 201: scheduleSchema },
    problems: [...bodyProblems, ...once, 'schedule-exists', 'limit-reached', 'input-missing'],
  },
  listSchedules: {
    summary: 'List schedules, by name',
    tag: 'jobs',
    query: { pool: 'only of this pool', ...paging },
    answers: { 200: scheduleListSchema },
    problems: ['invalid-request'],
  },
  getSchedule: {
    summary: 'Read a schedule, with its next times',
    tag: 'jobs',
    headers: ['if-none-match'],
    answers: { 200: scheduleSchema, 304: null },
    problems: missing,
  },
  patchSchedule: {
    summary: 'Pause a schedule, or let it go on',
    tag: 'jobs',
    headers: ['if-match'],
    body: { schema: schedulePatchSchema },
    answers: { 200: scheduleSchema },
    problems: edit,
  },
  removeSchedule: {
    summary: 'Remove a schedule; the jobs that it made stay',
    tag: 'jobs',
    headers: ['if-match'],
    answers: { 204: null },
    problems: [...missing, 'precondition-failed'],
  },
  runSchedule: {
    summary: 'Make its job now, whatever else is going on',
    tag: 'jobs',
    answers: { 202: runAnswerSchema },
    problems: [...bodyProblems, 'not-found'],
  },
  listScheduleRuns: {
    summary: 'Read what became of its times, newest first',
    tag: 'jobs',
    query: paging,
    answers: { 200: runListSchema },
    problems: missing,
  },
};
