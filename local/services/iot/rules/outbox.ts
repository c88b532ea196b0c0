/**
 * Messages that a rule still owes to its actions. A row is written in the transaction that
 * acknowledges the message and removed after delivery, so kill -9 in between repeats the delivery
 * and never forgets it.
 */
import type { DatabaseSync } from 'node:sqlite';

export const outboxSchema = `
  CREATE TABLE IF NOT EXISTS outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    rule TEXT NOT NULL, topic TEXT NOT NULL, payload BLOB NOT NULL, client_id TEXT NOT NULL,
    principal TEXT NOT NULL, received_at_ms INTEGER NOT NULL, depth INTEGER NOT NULL
  );
`;

type OwedMessage = {
  readonly rule: string;
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly clientId: string;
  readonly principal: string;
  readonly receivedAtMs: number;
  /** How many rules have republished it before. */
  readonly depth: number;
};

export type OutboxRow = OwedMessage & { readonly id: number };

export type Outbox = {
  add(message: OwedMessage): OutboxRow;
  remove(id: number): void;
  all(): OutboxRow[];
};

export function outbox(database: DatabaseSync): Outbox {
  const insert = database.prepare(
    `INSERT INTO outbox (rule, topic, payload, client_id, principal, received_at_ms, depth)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const remove = database.prepare('DELETE FROM outbox WHERE id = ?');
  const select = database.prepare('SELECT * FROM outbox ORDER BY id');
  return {
    add(message) {
      const { rule, topic, payload, clientId, principal, receivedAtMs, depth } = message;
      const done = insert.run(rule, topic, payload, clientId, principal, receivedAtMs, depth);
      return { ...message, id: Number(done.lastInsertRowid) };
    },
    remove(id) {
      remove.run(id);
    },
    all: () =>
      select.all().map((row) => ({
        id: Number(row['id']),
        rule: String(row['rule']),
        topic: String(row['topic']),
        payload: row['payload'] as Uint8Array,
        clientId: String(row['client_id']),
        principal: String(row['principal']),
        receivedAtMs: Number(row['received_at_ms']),
        depth: Number(row['depth']),
      })),
  };
}
