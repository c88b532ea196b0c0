import type { Destination, Placing } from '../../../core/contract/jobspec/job-bodies.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import type { AskedPlace, Submission } from '../../../core/model/submission.ts';
import {
  openSubmissionKey,
  openSubmissionListKey,
  submissionKey,
  submissionListKey,
  submissionOfRow,
  waitingSubmissionListKey,
} from '../keys.ts';
import type { Row } from '../table.ts';
import { flag, json, text, textOrNull, time, timeOrNull, whole } from './row-values.ts';
import { isSelect } from './rows-select.ts';
import { isText, listOf, optional, orNull, recordOf, tableOf } from './shapes.ts';

/** `JOBSPEC#<id>/SUBMISSION`: what was sent, where it went and the jobs it becomes. */
export function encodeSubmission(submission: Submission, position: string): Row {
  const { id, pool, placing, jobs, impossible, decision, asked, staged, labels, waits, ...plain } =
    submission;
  const { to, chosen } = placing;
  const target = to.kind === 'hosts' ? { ...to, hostOf: Object.fromEntries(to.hostOf) } : to;
  return {
    ...plain,
    ...submissionKey(id),
    ...submissionListKey(pool, position),
    pool,
    to: JSON.stringify(target),
    chosen: JSON.stringify(Object.fromEntries(chosen)),
    jobs: JSON.stringify(jobs),
    impossible: JSON.stringify(impossible),
    decision: JSON.stringify(decision ?? null),
    asked: JSON.stringify(asked),
    staged: JSON.stringify(staged),
    ...(waits ? { waits } : {}),
    ...(Object.keys(labels).length === 0 ? {} : { labels: JSON.stringify(labels) }),
  };
}

/** `JOBSPEC#<id>/OPEN`: something of it is still to be done, or its place still to be found. */
export function encodeOpenSubmission({ id, waits }: Submission, position: string): Row {
  const list = waits ? waitingSubmissionListKey(position) : openSubmissionListKey(position);
  return { ...openSubmissionKey(id), ...list };
}

const isJobs = listOf(recordOf({ unit: isText, id: isText, after: listOf(isText) }));
const isTexts = tableOf(isText);
const isTarget = recordOf({ kind: isText });

export function decodeSubmission(row: Row): Submission {
  const jobs = json<Submission['jobs'] | null>(row.jobs, isJobs, null);
  const placing = placingOf(row);
  if (jobs === null || placing === null) throw new Error(`${row.pk} ${row.sk} holds no jobs`);
  return {
    id: submissionOfRow(row),
    name: textOrNull(row.name),
    pool: text(row.pool),
    queue: text(row.queue),
    createdAtMs: time(row.createdAtMs),
    createdBy: text(row.createdBy),
    text: text(row.text),
    cluster: textOrNull(row.cluster),
    placing,
    decision: json<unknown>(row.decision, () => true, null),
    asked: askedOf(row),
    staged: json<Submission['staged']>(row.staged, isStaged, {}),
    labels: json<Submission['labels']>(row.labels, isTexts, {}),
    jobs: jobs.map((job) => ({ ...job, id: jobIdOf(job.id) })),
    impossible: json<readonly string[]>(row.impossible, listOf(isText), []),
    isOpen: flag(row.isOpen),
    waits: row.waits === true,
    lookedAtMs: timeOrNull(row.lookedAtMs) ?? time(row.createdAtMs),
    cancelledAtMs: timeOrNull(row.cancelledAtMs),
    version: whole(row.version),
  };
}

const isStaged = tableOf(recordOf({ sha256: optional(isText), manifest: optional(isText) }));

const isAsked = recordOf({
  clusters: orNull(listOf(isText)),
  select: isSelect,
  together: (value) => value === 'host' || value === 'pool',
  fallback: optional((value) => value === 'missing' || value === 'busy'),
});

function askedOf(row: Row): AskedPlace | null {
  return json<AskedPlace | null>(row.asked, orNull(isAsked), null);
}

type Target = Record<string, unknown> & { readonly kind: string };

function placingOf(row: Row): Placing | null {
  const chosen = json<Record<string, string> | null>(row.chosen, isTexts, null);
  const target = json<Target | null>(row.to, isTarget, null);
  if (chosen === null || target === null) return null;
  const to = destinationOf(target);
  return to === null ? null : { to, chosen: new Map(Object.entries(chosen)) };
}

const executors = ['process', 'slurm', 'flux'] as const;

function destinationOf({ kind, hostOf, edge, executor }: Target): Destination | null {
  if (kind === 'hosts' && isTexts(hostOf)) {
    return { kind, hostOf: new Map(Object.entries(hostOf as Record<string, string>)) };
  }
  const known = executors.find((it) => it === executor);
  if (kind !== 'cluster' || typeof edge !== 'string' || known === undefined) return null;
  return { kind, edge, executor: known };
}
