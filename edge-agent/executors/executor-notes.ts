import type { Journal } from '../disk/journal.ts';
import type { JournalRecord } from '../disk/journal-record.ts';
import type { AgentMemory } from '../disk/replay.ts';
import type { ExecutorNotes } from './executor.ts';

/** The executors' notes: in memory to be read, in the journal to be found again. */
export type NoteBook = {
  of(executor: string): ExecutorNotes;
  records(): Iterable<JournalRecord>;
};

export function openNoteBook(journal: Journal, memory: AgentMemory['notes']): NoteBook {
  const book = new Map<string, Map<string, string>>();
  for (const [executor, notes] of memory) book.set(executor, new Map(notes));
  return {
    of(executor) {
      const notes = book.get(executor) ?? new Map<string, string>();
      book.set(executor, notes);
      return {
        all: () => notes,
        put(key, value) {
          notes.set(key, value);
          journal.append({ k: 'note', x: executor, key, v: value });
        },
        remove(key) {
          if (notes.delete(key)) journal.append({ k: 'note', x: executor, key, v: null });
        },
      };
    },
    *records() {
      for (const [executor, notes] of book) {
        for (const [key, v] of notes) yield { k: 'note', x: executor, key, v };
      }
    },
  };
}
