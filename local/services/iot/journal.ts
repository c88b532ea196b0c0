/**
 * One writer to one SQLite file. Work that arrives in the same turn of the event loop shares a
 * transaction, and nobody hears of success before the commit: what was acknowledged survives
 * kill -9. (The write-ahead log is handed to the operating system at each commit and synced at
 * checkpoints: a power cut of the machine is not what this guards against.)
 */
import { DatabaseSync } from 'node:sqlite';

export type Journal = {
  readonly database: DatabaseSync;
  /** Runs `work` inside the next transaction; what it throws undoes only its own writes. */
  write<T>(work: () => T): Promise<T>;
  /** Commits what waits and closes the file. */
  close(): void;
};

type Waiting = { run(): () => void; fail(error: unknown): void };

export function openJournal(path: string, schema: string): Journal {
  const database = new DatabaseSync(path);
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000',
  );
  database.exec(schema);
  let waiting: Waiting[] = [];
  let open = true;

  const flush = () => {
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) commit(database, batch);
  };

  return {
    database,
    write<T>(work: () => T): Promise<T> {
      if (!open) return Promise.reject(new Error('The state of the IoT service is closed.'));
      return new Promise<T>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({
          run() {
            const result = work();
            return () => resolve(result);
          },
          fail: reject,
        });
      });
    },
    close() {
      if (!open) return;
      open = false;
      flush();
      database.close();
    },
  };
}

function commit(database: DatabaseSync, batch: readonly Waiting[]): void {
  const answers: (() => void)[] = [];
  try {
    database.exec('BEGIN IMMEDIATE');
    for (const item of batch) {
      database.exec('SAVEPOINT item');
      try {
        answers.push(item.run());
        database.exec('RELEASE item');
      } catch (error) {
        database.exec('ROLLBACK TO item; RELEASE item');
        answers.push(() => item.fail(error));
      }
    }
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    for (const item of batch) item.fail(error);
    return;
  }
  for (const answer of answers) answer();
}
