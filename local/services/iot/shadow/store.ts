/** Shadows as rows: one per thing and name, the classic shadow under the empty name. */
import type { DatabaseSync } from 'node:sqlite';
import { shadowTombstoneMs } from '../limits.ts';
import type { StoredShadow } from './service.ts';

export const shadowSchema = `
  CREATE TABLE IF NOT EXISTS shadows (
    thing TEXT NOT NULL,
    name TEXT NOT NULL,
    document TEXT NOT NULL,
    deleted_at_ms INTEGER,
    PRIMARY KEY (thing, name)
  ) WITHOUT ROWID;
`;

export type ShadowStore = {
  read(thing: string, name: string | undefined): StoredShadow | undefined;
  write(thing: string, name: string | undefined, shadow: StoredShadow): void;
  /** Names after `after`, in order; never the classic shadow. */
  names(thing: string, after: string, count: number): string[];
  /** Forgets tombstones that no longer lend their version to a new shadow. */
  forget(nowMs: number): void;
};

export function shadowStore(database: DatabaseSync): ShadowStore {
  const select = database.prepare('SELECT document FROM shadows WHERE thing = ? AND name = ?');
  const upsert = database.prepare(
    `INSERT INTO shadows (thing, name, document, deleted_at_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT (thing, name)
     DO UPDATE SET document = excluded.document, deleted_at_ms = excluded.deleted_at_ms`,
  );
  const list = database.prepare(
    `SELECT name FROM shadows
     WHERE thing = ? AND name > ? AND deleted_at_ms IS NULL ORDER BY name LIMIT ?`,
  );
  const forget = database.prepare('DELETE FROM shadows WHERE deleted_at_ms <= ?');
  return {
    read(thing, name) {
      const row = select.get(thing, name ?? '');
      return row === undefined ? undefined : (JSON.parse(String(row['document'])) as StoredShadow);
    },
    write(thing, name, shadow) {
      const deletedAtMs = shadow.kind === 'deleted' ? shadow.deletedAtMs : null;
      upsert.run(thing, name ?? '', JSON.stringify(shadow), deletedAtMs);
    },
    names: (thing, after, count) => list.all(thing, after, count).map((row) => String(row['name'])),
    forget(nowMs) {
      forget.run(nowMs - shadowTombstoneMs);
    },
  };
}
