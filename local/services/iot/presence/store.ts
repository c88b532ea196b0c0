/**
 * Connection numbers of clients: they order lifecycle events, so they outlive a restart. A row
 * without an end is a connection that this process did not live to see closed.
 */
import type { DatabaseSync } from 'node:sqlite';
import { presenceVersionResetMs } from '../limits.ts';

export const presenceSchema = `
  CREATE TABLE IF NOT EXISTS presence (
    client_id TEXT PRIMARY KEY, version INTEGER NOT NULL, session TEXT NOT NULL,
    certificate TEXT NOT NULL, disconnected_at_ms INTEGER
  ) WITHOUT ROWID;
`;

type PresenceRow = {
  readonly clientId: string;
  readonly version: number;
  readonly session: string;
  readonly certificate: string;
};

export type PresenceStore = {
  connected(nowMs: number, clientId: string, session: string, certificate: string): PresenceRow;
  disconnected(nowMs: number, clientId: string, version: number): void;
  /** Connections that were never closed. */
  open(): PresenceRow[];
};

export function presenceStore(database: DatabaseSync): PresenceStore {
  const select = database.prepare('SELECT * FROM presence WHERE client_id = ?');
  const upsert = database.prepare('INSERT OR REPLACE INTO presence VALUES (?, ?, ?, ?, NULL)');
  const close = database.prepare(
    'UPDATE presence SET disconnected_at_ms = ? WHERE client_id = ? AND version = ?',
  );
  const open = database.prepare('SELECT * FROM presence WHERE disconnected_at_ms IS NULL');
  return {
    connected(nowMs, clientId, session, certificate) {
      const row = select.get(clientId);
      const endedAtMs = row?.['disconnected_at_ms'] ?? nowMs;
      // "not connected for approximately one hour, the version number is reset to 0"
      const forgotten = row === undefined || nowMs - Number(endedAtMs) >= presenceVersionResetMs;
      const version = forgotten ? 0 : Number(row['version']) + 1;
      upsert.run(clientId, version, session, certificate);
      return { clientId, version, session, certificate };
    },
    disconnected(nowMs, clientId, version) {
      close.run(nowMs, clientId, version);
    },
    open: () =>
      open.all().map((row) => ({
        clientId: String(row['client_id']),
        version: Number(row['version']),
        session: String(row['session']),
        certificate: String(row['certificate']),
      })),
  };
}
