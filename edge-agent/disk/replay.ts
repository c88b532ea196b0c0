import { type JobId, parseJobId } from '../../core/model/names.ts';
import { chunksOf, emptyRanges, parseRanges } from '../../core/model/ranges.ts';
import { noWork, parseWork, type Work } from '../../core/protocol/work.ts';
import { emptyLedger, type JobLedger, withoutResults, withResult } from '../edge/ledger.ts';
import type { JournalRecord } from './journal-record.ts';

/** What an edge remembers over a restart. */
export type EdgeMemory = {
  readonly work: Work;
  /** The document as it came, to be written again when the journal is rewritten. */
  readonly workDocument: unknown;
  readonly ledgers: ReadonlyMap<JobId, JobLedger>;
  readonly sequence: number;
  readonly contactAtMs: number | null;
};

export const blankMemory: EdgeMemory = {
  work: noWork,
  workDocument: null,
  ledgers: new Map(),
  sequence: 0,
  contactAtMs: null,
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
  sequence: number;
  contactAtMs: number | null;
};

/** Folds the journal, oldest record first. A record that makes no sense says nothing. */
export function replay(records: Iterable<JournalRecord>): AgentMemory {
  const edges = new Map<string, EdgeDraft>();
  const notes = new Map<string, Map<string, string>>();
  for (const record of records) {
    if (record.k === 'note') applyNote(notes, record);
    else if (typeof record.e === 'string') {
      const draft = edges.get(record.e) ?? { ...blankMemory, ledgers: new Map() };
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
      draft.work = work;
      draft.workDocument = record.w;
      return;
    }
    case 'end':
      update(draft, record.j, (ledger) =>
        withResult(ledger, {
          chunk: record.c,
          attempt: record.t,
          failure: record.x,
          durationMs: null,
        }),
      );
      return;
    case 'done':
      update(draft, record.j, (ledger) => {
        let next = ledger;
        for (const chunk of chunksOf(parseRanges(record.r) ?? emptyRanges)) {
          next = withResult(next, { chunk, attempt: record.t, failure: null, durationMs: null });
        }
        return next;
      });
      return;
    case 'forget':
      update(draft, record.j, (ledger) =>
        withoutResults(ledger, parseRanges(record.r) ?? emptyRanges),
      );
      return;
    case 'sequence':
      draft.sequence = Math.max(draft.sequence, record.n);
      return;
    case 'contact':
      draft.contactAtMs = record.at;
      return;
    case 'reset':
      draft.work = noWork;
      draft.workDocument = null;
      draft.ledgers.clear();
      draft.contactAtMs = null;
      return;
  }
}

function update(draft: EdgeDraft, name: string, change: (ledger: JobLedger) => JobLedger): void {
  const job = parseJobId(name);
  if (job === null) return;
  const next = change(draft.ledgers.get(job) ?? emptyLedger);
  if (next.done.length === 0 && next.failed.size === 0) draft.ledgers.delete(job);
  else draft.ledgers.set(job, next);
}
