import { emptyRanges, subtract, union } from '../../core/model/ranges.ts';
import { doneRecords, type JournalRecord } from './journal-record.ts';
import type { EdgeMemory } from './replay.ts';

/** The fewest records whose replay gives this memory: what a rewrite of the journal writes. */
export function snapshotOf(edge: string, memory: EdgeMemory): JournalRecord[] {
  const records: JournalRecord[] = [];
  if (memory.sequence > 0) records.push({ k: 'sequence', e: edge, n: memory.sequence });
  if (memory.contactAtMs !== null) {
    records.push({ k: 'contact', e: edge, at: memory.contactAtMs });
  }
  if (memory.startsWithoutContact > 0)
    records.push({ k: 'start', e: edge, n: memory.startsWithoutContact });
  if (memory.workDocument !== null) records.push({ k: 'work', e: edge, w: memory.workDocument });
  for (const [job, ledger] of memory.ledgers) {
    let later = emptyRanges;
    for (const [attempt, set] of ledger.doneAttempts) {
      later = union(later, set);
      records.push(...doneRecords(edge, job, attempt, set));
    }
    const first = subtract(ledger.done, later);
    records.push(...doneRecords(edge, job, 1, first));
    for (const [chunk, { attempt, failure }] of ledger.failed) {
      records.push({ k: 'end', e: edge, j: job, c: chunk, t: attempt, x: failure });
    }
  }
  for (const [job, chunks] of memory.sending) {
    for (const [chunk, { attempt, failure }] of chunks) {
      records.push({ k: 'sending', e: edge, j: job, c: chunk, t: attempt, x: failure });
    }
  }
  return records;
}
