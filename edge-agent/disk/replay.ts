import { type JobId, parseJobId } from '../../core/model/names.ts';
import { has } from '../../core/model/ranges.ts';
import type { Failure } from '../../core/protocol/progress-report.ts';
import { keepInlineSpecs, noWork, parseWork, type Work } from '../../core/protocol/work.ts';
import { documentOf } from '../edge/arrived-work.ts';
import {
  emptyLedger,
  type JobLedger,
  withDone,
  withoutResults,
  withResult,
} from '../edge/ledger.ts';
import { chunksOfRecord, type JournalRecord } from './journal-record.ts';

/** What an edge remembers over a restart. */
export type EdgeMemory = {
  readonly work: Work;
  /** The document as it came, to be written again when the journal is rewritten. */
  readonly workDocument: unknown;
  readonly ledgers: ReadonlyMap<JobId, JobLedger>;
  /** Chunks that ended, and whose results are not safe yet. */
  readonly sending: ReadonlyMap<JobId, ReadonlyMap<number, FailedOrDone>>;
  readonly sequence: number;
  readonly contactAtMs: number | null;
  /** Starts of the agent in a row that ended without contact. */
  readonly startsWithoutContact: number;
};

/** How an attempt ended; `null`: it is done. */
export type FailedOrDone = { readonly attempt: number; readonly failure: Failure | null };

export const blankMemory: EdgeMemory = {
  work: noWork,
  workDocument: null,
  ledgers: new Map(),
  sending: new Map(),
  sequence: 0,
  contactAtMs: null,
  startsWithoutContact: 0,
};

export type AgentMemory = {
  readonly edges: ReadonlyMap<string, EdgeMemory>;
  /** By executor, then by key. */
  readonly notes: ReadonlyMap<string, ReadonlyMap<string, string>>;
};

type EdgeDraft = {
  work: Work;
  workDocument: unknown;
  ledgers: Map<JobId, JobLedger>;
  sending: Map<JobId, Map<number, FailedOrDone>>;
  sequence: number;
  contactAtMs: number | null;
  startsWithoutContact: number;
};

/** Folds the journal, oldest record first. A record that makes no sense says nothing. */
export function replay(records: Iterable<JournalRecord>): AgentMemory {
  const edges = new Map<string, EdgeDraft>();
  const notes = new Map<string, Map<string, string>>();
  for (const record of records) {
    if (record.k === 'note') applyNote(notes, record);
    else if (typeof record.e === 'string') {
      const draft = edges.get(record.e) ?? {
        ...blankMemory,
        ledgers: new Map(),
        sending: new Map(),
      };
      edges.set(record.e, draft);
      apply(draft, record);
    }
  }
  return { edges, notes };
}

function applyNote(
  notes: Map<string, Map<string, string>>,
  record: JournalRecord & { k: 'note' },
): void {
  const ofExecutor = notes.get(record.x) ?? new Map<string, string>();
  notes.set(record.x, ofExecutor);
  if (record.v === null) ofExecutor.delete(record.key);
  else ofExecutor.set(record.key, record.v);
}

function apply(draft: EdgeDraft, record: Exclude<JournalRecord, { k: 'note' }>): void {
  switch (record.k) {
    case 'work': {
      const work = parseWork(record.w);
      if (work === null) return;
      draft.work = keepInlineSpecs(draft.work, work);
      draft.workDocument = documentOf(draft.work, work, record.w);
      return;
    }
    case 'sending': {
      const job = parseJobId(record.j);
      if (job === null) return;
      const chunks = draft.sending.get(job) ?? new Map<number, FailedOrDone>();
      draft.sending.set(job, chunks.set(record.c, { attempt: record.t, failure: record.x }));
      return;
    }
    case 'unsent':
      sent(draft, record.j, (chunk) => chunk === record.c);
      return;
    case 'end':
      sent(draft, record.j, (chunk) => chunk === record.c);
      update(draft, record.j, (ledger) =>
        withResult(ledger, {
          chunk: record.c,
          attempt: record.t,
          failure: record.x,
          durationMs: null,
        }),
      );
      return;
    case 'done': {
      const chunks = chunksOfRecord(record);
      sent(draft, record.j, (chunk) => has(chunks, chunk));
      update(draft, record.j, (ledger) =>
        withDone(ledger, { chunks, attempt: record.t, meanMs: null }),
      );
      return;
    }
    case 'forget':
      update(draft, record.j, (ledger) => withoutResults(ledger, chunksOfRecord(record)));
      return;
    case 'sequence':
      draft.sequence = Math.max(draft.sequence, record.n);
      return;
    case 'contact':
      draft.contactAtMs = record.at;
      return;
    case 'start':
      draft.startsWithoutContact = record.n;
      return;
    case 'reset':
      draft.work = noWork;
      draft.workDocument = null;
      draft.ledgers.clear();
      draft.sending.clear();
      draft.contactAtMs = null;
      draft.startsWithoutContact = 0;
      return;
  }
}

/** Their end counts, or they are forgotten. */
function sent(draft: EdgeDraft, name: string, isMeant: (chunk: number) => boolean): void {
  const job = parseJobId(name);
  const chunks = job === null ? undefined : draft.sending.get(job);
  if (job === null || chunks === undefined) return;
  for (const chunk of [...chunks.keys()]) if (isMeant(chunk)) chunks.delete(chunk);
  if (chunks.size === 0) draft.sending.delete(job);
}

function update(draft: EdgeDraft, name: string, change: (ledger: JobLedger) => JobLedger): void {
  const job = parseJobId(name);
  if (job === null) return;
  const next = change(draft.ledgers.get(job) ?? emptyLedger);
  if (next.done.length === 0 && next.failed.size === 0) draft.ledgers.delete(job);
  else draft.ledgers.set(job, next);
}
