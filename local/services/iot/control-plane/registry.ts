/**
 * Things, certificates, policies that the template does not have, and what is attached to what.
 * Reads go straight to the file; the caller runs changes inside the journal.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { JsonObject } from '../json.ts';

export const registrySchema = `
  CREATE TABLE IF NOT EXISTS things (
    name TEXT PRIMARY KEY, id TEXT NOT NULL, type TEXT, attributes TEXT NOT NULL,
    version INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS certificates (
    id TEXT PRIMARY KEY, pem TEXT NOT NULL, common_name TEXT NOT NULL, status TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL, modified_at_ms INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS thing_principals (
    thing TEXT NOT NULL, certificate TEXT NOT NULL, type TEXT NOT NULL,
    PRIMARY KEY (thing, certificate)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS principal_things ON thing_principals (certificate, thing);
  CREATE TABLE IF NOT EXISTS policy_targets (
    certificate TEXT NOT NULL, policy TEXT NOT NULL, PRIMARY KEY (certificate, policy)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS policies (
    name TEXT PRIMARY KEY, document TEXT NOT NULL
  ) WITHOUT ROWID;
`;

type CertificateStatus = 'ACTIVE' | 'INACTIVE' | 'REVOKED';
export const certificateStatuses: readonly CertificateStatus[] = ['ACTIVE', 'INACTIVE', 'REVOKED'];
type AttachmentType = 'EXCLUSIVE_THING' | 'NON_EXCLUSIVE_THING';

export type Thing = {
  readonly name: string;
  readonly id: string;
  readonly type?: string;
  readonly attributes: JsonObject;
  readonly version: number;
};

export type Certificate = {
  readonly id: string;
  readonly pem: string;
  readonly commonName: string;
  readonly status: CertificateStatus;
  readonly createdAtMs: number;
  readonly modifiedAtMs: number;
};

type Attachment = { readonly name: string; readonly type: AttachmentType };

export type Registry = ReturnType<typeof registry>;

export function registry(database: DatabaseSync) {
  const sql = (text: string) => database.prepare(text);
  return { ...things(sql), ...certificates(sql), ...attachments(sql), ...policies(sql) };
}

type Prepare = (text: string) => ReturnType<DatabaseSync['prepare']>;
type Row = Record<string, unknown>;

function things(sql: Prepare) {
  const select = sql('SELECT * FROM things WHERE name = ?');
  const upsert = sql(
    `INSERT INTO things (name, id, type, attributes, version) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET
       type = excluded.type, attributes = excluded.attributes, version = excluded.version`,
  );
  const remove = sql('DELETE FROM things WHERE name = ?');
  const list = sql('SELECT * FROM things WHERE name > ? ORDER BY name LIMIT ?');
  return {
    thing(name: string): Thing | undefined {
      const row = select.get(name);
      return row === undefined ? undefined : thingOf(row);
    },
    putThing(thing: Thing): void {
      const attributes = JSON.stringify(thing.attributes);
      upsert.run(thing.name, thing.id, thing.type ?? null, attributes, thing.version);
    },
    deleteThing(name: string): void {
      remove.run(name);
    },
    listThings: (after: string, count: number): Thing[] => list.all(after, count).map(thingOf),
  };
}

function certificates(sql: Prepare) {
  const select = sql('SELECT * FROM certificates WHERE id = ?');
  const insert = sql('INSERT INTO certificates VALUES (?, ?, ?, ?, ?, ?)');
  const status = sql('UPDATE certificates SET status = ?, modified_at_ms = ? WHERE id = ?');
  const remove = sql('DELETE FROM certificates WHERE id = ?');
  const list = sql('SELECT * FROM certificates WHERE id > ? ORDER BY id LIMIT ?');
  return {
    certificate(id: string): Certificate | undefined {
      const row = select.get(id);
      return row === undefined ? undefined : certificateOf(row);
    },
    addCertificate(entry: Certificate): void {
      const { id, pem, commonName, createdAtMs, modifiedAtMs } = entry;
      insert.run(id, pem, commonName, entry.status, createdAtMs, modifiedAtMs);
    },
    setCertificateStatus(id: string, next: CertificateStatus, nowMs: number): void {
      status.run(next, nowMs, id);
    },
    deleteCertificate(id: string): void {
      remove.run(id);
    },
    listCertificates: (after: string, count: number): Certificate[] =>
      list.all(after, count).map(certificateOf),
  };
}

function attachments(sql: Prepare) {
  const attachThing = sql('INSERT OR REPLACE INTO thing_principals VALUES (?, ?, ?)');
  const detachThing = sql('DELETE FROM thing_principals WHERE thing = ? AND certificate = ?');
  const ofThing = sql(
    'SELECT certificate AS name, type FROM thing_principals WHERE thing = ? ORDER BY certificate',
  );
  const ofCertificate = sql(
    'SELECT thing AS name, type FROM thing_principals WHERE certificate = ? ORDER BY thing',
  );
  const attachPolicy = sql('INSERT OR IGNORE INTO policy_targets VALUES (?, ?)');
  const detachPolicy = sql('DELETE FROM policy_targets WHERE certificate = ? AND policy = ?');
  const policies = sql('SELECT policy FROM policy_targets WHERE certificate = ? ORDER BY policy');
  const targets = sql(
    'SELECT certificate FROM policy_targets WHERE policy = ? ORDER BY certificate',
  );
  return {
    attachThing(thing: string, certificate: string, type: AttachmentType): void {
      attachThing.run(thing, certificate, type);
    },
    detachThing(thing: string, certificate: string): void {
      detachThing.run(thing, certificate);
    },
    principalsOf: (thing: string): Attachment[] => ofThing.all(thing).map(attachmentOf),
    thingsOf: (certificate: string): Attachment[] =>
      ofCertificate.all(certificate).map(attachmentOf),
    attachPolicy(certificate: string, policy: string): void {
      attachPolicy.run(certificate, policy);
    },
    detachPolicy(certificate: string, policy: string): void {
      detachPolicy.run(certificate, policy);
    },
    policiesOf: (certificate: string): string[] =>
      policies.all(certificate).map((row) => String(row['policy'])),
    targetsOf: (policy: string): string[] =>
      targets.all(policy).map((row) => String(row['certificate'])),
  };
}

function policies(sql: Prepare) {
  const put = sql('INSERT OR REPLACE INTO policies VALUES (?, ?)');
  const remove = sql('DELETE FROM policies WHERE name = ?');
  const list = sql('SELECT name, document FROM policies ORDER BY name');
  return {
    putPolicy(name: string, document: string): void {
      put.run(name, document);
    },
    deletePolicy(name: string): void {
      remove.run(name);
    },
    listPolicies: (): { name: string; document: string }[] =>
      list.all().map((row) => ({ name: String(row['name']), document: String(row['document']) })),
  };
}

const thingOf = (row: Row): Thing => ({
  name: String(row['name']),
  id: String(row['id']),
  ...(row['type'] === null ? {} : { type: String(row['type']) }),
  attributes: JSON.parse(String(row['attributes'])) as JsonObject,
  version: Number(row['version']),
});

const certificateOf = (row: Row): Certificate => ({
  id: String(row['id']),
  pem: String(row['pem']),
  commonName: String(row['common_name']),
  status: String(row['status']) as CertificateStatus,
  createdAtMs: Number(row['created_at_ms']),
  modifiedAtMs: Number(row['modified_at_ms']),
});

const attachmentOf = (row: Row): Attachment => ({
  name: String(row['name']),
  type: String(row['type']) as AttachmentType,
});
