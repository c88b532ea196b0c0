/**
 * Bodies of large objects as files of the state directory: the stand-in keeps bodies in its
 * database and whole in memory. It still knows each object; its row has the name of the file in
 * place of the body, and with it another length than the object.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { buildApp } from 'fauxqs';

type Stores = NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>;

/** As the stand-in knows it. */
export type StoredObject = ReturnType<Stores['s3Store']['getObject']>;

export type ObjectFiles = {
  /** Files of this directory can become bodies. */
  readonly directory: string;
  put(bucket: string, object: StoredObject, path: string): void;
  /** One whose body is in memory. */
  putSmall(bucket: string, object: StoredObject): void;
  /** A file, or a directory of parts; undefined for an object whose body the stand-in has. */
  fileOf(bucket: string, key: string): string | undefined;
};

/** What is used of the stand-in's persistence. */
export type ObjectRows = {
  readonly db: DatabaseSync;
  upsertObject(bucket: string, object: StoredObject): void;
  deleteObject(bucket: string, key: string): void;
  readBody(bucket: string, key: string): Buffer;
};

export function openObjectFiles(
  directory: string,
  rows: ObjectRows,
  buckets: { restoreObject(bucket: string, object: StoredObject): void },
): ObjectFiles {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const ofObject = rows.db.prepare(
    'SELECT CAST(substr(body, 1, 64) AS TEXT) AS name FROM s3_objects ' +
      'WHERE bucket = ? AND key = ? AND length(body) <> content_length',
  );
  const ofAll = rows.db.prepare(
    'SELECT CAST(substr(body, 1, 64) AS TEXT) AS name FROM s3_objects ' +
      'WHERE length(body) <> content_length',
  );
  const fileOf = (bucket: string, key: string): string | undefined => {
    const row = ofObject.get(bucket, key) as { name: string } | undefined;
    return row === undefined ? undefined : join(directory, basename(row.name));
  };
  const forget = (bucket: string, key: string): void => {
    const file = fileOf(bucket, key);
    if (file !== undefined) rmSync(file, { recursive: true, force: true });
  };
  const { upsertObject, deleteObject, readBody } = rows;
  Object.assign(rows, {
    upsertObject(bucket: string, object: StoredObject) {
      forget(bucket, object.key);
      upsertObject.call(rows, bucket, object);
    },
    deleteObject(bucket: string, key: string) {
      forget(bucket, key);
      deleteObject.call(rows, bucket, key);
    },
    readBody(bucket: string, key: string) {
      const file = fileOf(bucket, key);
      if (file === undefined) return readBody.call(rows, bucket, key);
      return Buffer.concat(piecesOf(file).map(({ path }) => readFileSync(path)));
    },
  });
  // What an upload left that did not come to its end.
  const known = new Set((ofAll.all() as { name: string }[]).map(({ name }) => name));
  for (const name of readdirSync(directory)) {
    if (!known.has(name)) rmSync(join(directory, name), { recursive: true, force: true });
  }
  return {
    directory,
    fileOf,
    put(bucket, object, path) {
      rows.upsertObject(bucket, { ...object, body: Buffer.from(basename(path)) });
      buckets.restoreObject(bucket, { ...object, body: Buffer.alloc(0) });
    },
    putSmall(bucket, object) {
      rows.upsertObject(bucket, object);
      buckets.restoreObject(bucket, { ...object, body: Buffer.alloc(0) });
    },
  };
}

/** The files of a body, in order: the names of parts begin with their numbers. */
export function piecesOf(
  file: string,
): readonly { readonly path: string; readonly bytes: number }[] {
  const stat = statSync(file);
  if (!stat.isDirectory()) return [{ path: file, bytes: stat.size }];
  const names = readdirSync(file).sort();
  return names.map((name) => ({ path: join(file, name), bytes: statSync(join(file, name)).size }));
}
