import type { JobCreation } from '../../../core/jobs/submit.ts';
import type { JobId } from '../../../core/model/names.ts';
import type { Plan } from '../../../core/model/plan.ts';
import type { AuditEvent } from '../../../core/ports/audit.ts';
import type { CreateOutcome, KeptAnswer } from '../../../core/ports/jobs.ts';
import { putAudit } from '../access/audit-store.ts';
import { putFirstAnswer } from '../access/idempotency-store.ts';
import { foldedIn, planWrites } from '../fleet/cell-store.ts';
import { dependantKey, statusKey } from '../keys.ts';
import { eventRow } from '../rows/rows-event.ts';
import { encodeStatus, newsOf } from '../rows/rows-job.ts';
import { encodeIntent, placedSlice } from '../rows/rows-slice.ts';
import { encodeSpec } from '../rows/rows-spec.ts';
import { passMark } from '../schema.ts';
import { nameKey } from '../services/name-key.ts';
import type { Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { positionOf } from './job-position.ts';
import { absent, openJob } from './job-writes.ts';

export async function createJob(
  table: Table,
  creation: JobCreation,
  kept: KeptAnswer | null,
  audit: AuditEvent,
): Promise<CreateOutcome> {
  const writes = creationWrites(creation);
  const answer = kept === null ? [] : [putFirstAnswer(kept.request, kept.answer, kept.atMs)];
  const outcome = await transactWithRetry(table, [...writes, ...answer, putAudit(audit)]);
  if (outcome.kind === 'committed') return 'created';
  if (outcome.failed.some((at) => at >= writes.length)) return 'key-taken';
  const checks = creation.openParents.length + (creation.onlyOne === undefined ? 0 : 1);
  const firstCheck = writes.length - checks;
  return outcome.failed.some((at) => at >= firstCheck) ? 'overtaken' : 'id-taken';
}

/** The plan first: its version decides whether any of it is stored. */
export async function createPlacedJob(
  table: Table,
  creation: JobCreation,
  plan: Plan,
  kept: KeptAnswer | null,
  audit: AuditEvent,
): Promise<Exclude<CreateOutcome, 'overtaken'> | 'conflict'> {
  const planned = planWrites(plan, creation.job.id);
  const isInLease = plan.slicesInLeases?.has(creation.job.id) === true;
  const slice = isInLease ? undefined : plan.slices.get(creation.job.id);
  const intent = { [passMark]: true, ...(slice && placedSlice(slice)) };
  const placed = { intent, status: foldedIn(plan, creation.job.id) };
  const writes = [...planned, ...creationWrites(creation, placed)];
  const answer = kept === null ? [] : [putFirstAnswer(kept.request, kept.answer, kept.atMs)];
  const outcome = await table.transact([...writes, ...answer, putAudit(audit)]);
  if (outcome.kind === 'committed') return 'created';
  if (outcome.kind === 'conflict') return 'conflict';
  if (outcome.failed.some((at) => at >= writes.length)) return 'key-taken';
  return outcome.failed.includes(planned.length) ? 'id-taken' : 'conflict';
}

/** From now on the end of the parent has to be looked at: its cell no longer does that alone. */
function waitingFor(parent: JobId): Write {
  const change = { set: { byCell: false } };
  return { kind: 'update', key: statusKey(parent), change, condition: openJob };
}

type Attributes = Readonly<Record<string, unknown>>;

/** Services of its name find it by this. */
function nameWrites({ job: { id, spec } }: JobCreation): Write[] {
  if (spec.restart === undefined || spec.name === null) return [];
  return [{ kind: 'put', row: nameKey(spec.pool, spec.name, id) }];
}

/** Of two that are to be the only one, the second finds that the last is not who it was. */
function onlyOneWrites({ job: { id, spec }, onlyOne }: JobCreation): Write[] {
  if (onlyOne === undefined) return [];
  const { after } = onlyOne;
  const condition = after === null ? absent : { expression: '#job = :job', values: { job: after } };
  const row = { ...nameKey(spec.pool, spec.name ?? '', null), job: id };
  return [{ kind: 'put', row, condition }];
}

/** The spec comes first, what must not have changed meanwhile comes last. */
export function creationWrites(
  creation: JobCreation,
  beside: { readonly intent?: Attributes; readonly status?: Attributes } = {},
): Write[] {
  const { job, status, intents, openParents, events = [] } = creation;
  const listSk = positionOf(job.id, job.createdAtMs);
  return [
    { kind: 'put', row: encodeSpec(job), condition: absent },
    { kind: 'put', row: { ...encodeStatus(status), ...beside.status, ...newsOf(true), listSk } },
    ...[...intents].map(
      ([cell, { intent, ranges }]): Write => ({
        kind: 'put',
        row: { ...encodeIntent(cell, job.id, intent, ranges), ...beside.intent },
      }),
    ),
    ...events.map((it): Write => ({ kind: 'put', row: eventRow(job.id, it) })),
    ...nameWrites(creation),
    ...openParents.map((it): Write => ({ kind: 'put', row: dependantKey(it, job.id) })),
    ...onlyOneWrites(creation),
    ...openParents.map(waitingFor),
  ];
}
