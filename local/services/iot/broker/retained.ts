/** Retained messages, one per topic, kept over restarts. Reserved topics never have one. */
import type { DatabaseSync } from 'node:sqlite';

export const retainedSchema = `
  CREATE TABLE IF NOT EXISTS retained (
    topic TEXT PRIMARY KEY, payload BLOB NOT NULL, qos INTEGER NOT NULL,
    modified_at_ms INTEGER NOT NULL
  ) WITHOUT ROWID;
`;

type RetainedMessage = {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: 0 | 1;
  readonly modifiedAtMs: number;
};

export type RetainedStore = {
  put(message: RetainedMessage): void;
  read(topic: string): RetainedMessage | undefined;
  list(after: string, count: number): RetainedMessage[];
};

export function retainedStore(database: DatabaseSync): RetainedStore {
  const upsert = database.prepare('INSERT OR REPLACE INTO retained VALUES (?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM retained WHERE topic = ?');
  const select = database.prepare('SELECT * FROM retained WHERE topic = ?');
  const list = database.prepare('SELECT * FROM retained WHERE topic > ? ORDER BY topic LIMIT ?');
  const messageOf = (row: Record<string, unknown>): RetainedMessage => ({
    topic: String(row['topic']),
    payload: row['payload'] as Uint8Array,
    qos: Number(row['qos']) === 1 ? 1 : 0,
    modifiedAtMs: Number(row['modified_at_ms']),
  });
  return {
    put({ topic, payload, qos, modifiedAtMs }) {
      // "deleted … when a client publishes a retained message with a 0-byte message payload"
      if (payload.length === 0) remove.run(topic);
      else upsert.run(topic, payload, qos, modifiedAtMs);
    },
    read(topic) {
      const row = select.get(topic);
      return row === undefined ? undefined : messageOf(row);
    },
    list: (after, count) => list.all(after, count).map(messageOf),
  };
}
