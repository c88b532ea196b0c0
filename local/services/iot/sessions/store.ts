/**
 * Persistent sessions as rows: who has one, what it subscribed to, and the messages that wait for
 * its client. Rows of messages are written in the transaction that acknowledges the message.
 */
import type { DatabaseSync } from 'node:sqlite';

export const sessionSchema = `
  CREATE TABLE IF NOT EXISTS sessions (
    client_id TEXT PRIMARY KEY, left_at_ms INTEGER
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS session_filters (
    client_id TEXT NOT NULL, filter TEXT NOT NULL, qos INTEGER NOT NULL,
    PRIMARY KEY (client_id, filter)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS session_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    client_id TEXT NOT NULL, topic TEXT NOT NULL, payload BLOB NOT NULL
  );
  CREATE INDEX IF NOT EXISTS session_messages_of ON session_messages (client_id);
`;

export type WaitingMessage = {
  readonly id: number;
  readonly topic: string;
  readonly payload: Uint8Array;
};

export type StoredSession = {
  readonly clientId: string;
  /** Undefined: its client was connected when this was written. */
  readonly leftAtMs: number | undefined;
  readonly filters: ReadonlyMap<string, number>;
  readonly messages: readonly WaitingMessage[];
};

export type SessionStore = {
  put(clientId: string, leftAtMs: number | undefined): void;
  /** The session with all that belongs to it. */
  remove(clientId: string): void;
  putFilter(clientId: string, filter: string, qos: number): void;
  removeFilter(clientId: string, filter: string): void;
  addMessage(clientId: string, topic: string, payload: Uint8Array): number;
  removeMessage(id: number): void;
  all(): StoredSession[];
};

export function sessionStore(database: DatabaseSync): SessionStore {
  const sql = (text: string) => database.prepare(text);
  const put = sql('INSERT OR REPLACE INTO sessions VALUES (?, ?)');
  const removals = ['sessions', 'session_filters', 'session_messages'].map((table) =>
    sql(`DELETE FROM ${table} WHERE client_id = ?`),
  );
  const putFilter = sql('INSERT OR REPLACE INTO session_filters VALUES (?, ?, ?)');
  const removeFilter = sql('DELETE FROM session_filters WHERE client_id = ? AND filter = ?');
  const addMessage = sql(
    'INSERT INTO session_messages (client_id, topic, payload) VALUES (?, ?, ?)',
  );
  const removeMessage = sql('DELETE FROM session_messages WHERE id = ?');
  const sessions = sql('SELECT * FROM sessions ORDER BY client_id');
  const filters = sql('SELECT filter, qos FROM session_filters WHERE client_id = ?');
  const messages = sql(
    'SELECT id, topic, payload FROM session_messages WHERE client_id = ? ORDER BY id',
  );
  return {
    put: (clientId, leftAtMs) => void put.run(clientId, leftAtMs ?? null),
    remove(clientId) {
      for (const removal of removals) removal.run(clientId);
    },
    putFilter: (clientId, filter, qos) => void putFilter.run(clientId, filter, qos),
    removeFilter: (clientId, filter) => void removeFilter.run(clientId, filter),
    addMessage: (clientId, topic, payload) =>
      Number(addMessage.run(clientId, topic, payload).lastInsertRowid),
    removeMessage: (id) => void removeMessage.run(id),
    all: () =>
      sessions.all().map((row) => {
        const clientId = String(row['client_id']);
        return {
          clientId,
          leftAtMs: row['left_at_ms'] === null ? undefined : Number(row['left_at_ms']),
          filters: new Map(
            filters.all(clientId).map(({ filter, qos }) => [String(filter), Number(qos)]),
          ),
          messages: messages.all(clientId).map(({ id, topic, payload }) => ({
            id: Number(id),
            topic: String(topic),
            payload: Buffer.from(payload as Uint8Array),
          })),
        };
      }),
  };
}
