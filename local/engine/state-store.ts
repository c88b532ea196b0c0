/**
 * The local cloud's own small facts (checkpoints, secrets, schedules, child processes) in one
 * SQLite file.
 *
 * The file is also the lock of the state directory: it stays locked by the operating system for as
 * long as this process lives, so a lock never outlives a `kill -9` and a second instance is
 * refused.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartFailure } from '../failure.ts';
import { ensurePrivateFile, openPrivateDirectory } from './private-directory.ts';

export type StateStore = {
  get(kind: string, key: string): string | undefined;
  put(kind: string, key: string, value: string): void;
  remove(kind: string, key: string): void;
  list(kind: string): { key: string; value: string }[];
  close(): void;
};

export function openStore(stateDir: string): StateStore {
  openPrivateDirectory(stateDir);
  const path = join(stateDir, 'cloud.sqlite');
  // SQLite gives its journals the mode of the file.
  ensurePrivateFile(path);
  const pidPath = join(stateDir, 'cloud.pid');
  const db = openLocked(path, () => {
    throw new StartFailure(
      `Another local cloud${holder(pidPath)} uses the state directory ${stateDir}; ` +
        'stop it first or choose another directory with --state DIR.',
    );
  });
  writeFileSync(pidPath, String(process.pid));
  const get = db.prepare('SELECT value FROM fact WHERE kind = ? AND key = ?');
  const put = db.prepare('INSERT OR REPLACE INTO fact (kind, key, value) VALUES (?, ?, ?)');
  const remove = db.prepare('DELETE FROM fact WHERE kind = ? AND key = ?');
  const list = db.prepare('SELECT key, value FROM fact WHERE kind = ? ORDER BY key');
  return {
    get: (kind, key) => textOf(get.get(kind, key)?.value),
    put: (kind, key, value) => void put.run(kind, key, value),
    remove: (kind, key) => void remove.run(kind, key),
    list: (kind) =>
      list.all(kind).map((row) => ({
        key: textOf(row.key) ?? '',
        value: textOf(row.value) ?? '',
      })),
    close: () => db.close(),
  };
}

function openLocked(path: string, refuse: () => never): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 300 });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;');
    db.exec('PRAGMA synchronous = NORMAL;');
    db.exec('BEGIN EXCLUSIVE');
    db.exec(
      'CREATE TABLE IF NOT EXISTS fact (kind TEXT NOT NULL, key TEXT NOT NULL, ' +
        'value TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID',
    );
    db.exec('COMMIT');
    return db;
  } catch (error) {
    db.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) return refuse();
    throw error;
  }
}

function holder(pidPath: string): string {
  try {
    return ` (process ${readFileSync(pidPath, 'utf8').trim()})`;
  } catch {
    return '';
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
