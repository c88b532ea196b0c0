/**
 * Uploads in parts that are under way: a directory each, with a file for each part whose name has
 * its number and its sums. What was completed becomes the body of an object by a change of its
 * name, so that nothing is copied.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { SpooledBody } from '../../engine/gateway/spool.ts';

export type MultipartUpload = {
  readonly id: string;
  readonly bucket: string;
  readonly key: string;
  readonly initiated: Date;
  readonly contentType: string;
  readonly metadata: Record<string, string>;
  /** As it was asked for: `SHA256`, and whether the object has the sum of all or of its parts. */
  readonly algorithm?: string | undefined;
  readonly checksumType?: string | undefined;
};

export type Part = {
  readonly number: number;
  readonly bytes: number;
  readonly storedAt: Date;
  /** In hex, as the names of files have them. */
  readonly md5: string;
  readonly sha256: string;
  readonly crc32: string;
};

export type MultipartUploads = {
  create(about: Omit<MultipartUpload, 'id' | 'initiated'>): MultipartUpload;
  find(id: string, bucket: string, key: string): MultipartUpload | undefined;
  /** By key, then by age. */
  list(bucket: string, prefix: string): readonly MultipartUpload[];
  /** By number. */
  parts(upload: MultipartUpload): readonly Part[];
  put(upload: MultipartUpload, number: number, body: SpooledBody | Buffer): Part;
  /** Ends it: these parts, in order, are the directory at this path, and nothing else is. */
  complete(upload: MultipartUpload, parts: readonly Part[], to: string): void;
  abort(upload: MultipartUpload): void;
};

const noteName = 'upload.json';

export function openMultipartUploads(directory: string): MultipartUploads {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const uploads = new Map<string, MultipartUpload>();
  const placeOf = (upload: MultipartUpload): string => join(directory, upload.id);
  for (const name of readdirSync(directory)) {
    const note = join(directory, name, noteName);
    if (!existsSync(note)) {
      rmSync(join(directory, name), { recursive: true, force: true });
      continue;
    }
    const kept = JSON.parse(readFileSync(note, 'utf8')) as MultipartUpload;
    uploads.set(kept.id, { ...kept, initiated: new Date(kept.initiated) });
  }
  return {
    create(about) {
      const upload = { ...about, id: randomUUID(), initiated: new Date() };
      mkdirSync(placeOf(upload), { mode: 0o700 });
      writeFileSync(join(placeOf(upload), noteName), JSON.stringify(upload), { mode: 0o600 });
      uploads.set(upload.id, upload);
      return upload;
    },
    find(id, bucket, key) {
      const upload = uploads.get(id);
      return upload?.bucket === bucket && upload.key === key ? upload : undefined;
    },
    list(bucket, prefix) {
      const found = [...uploads.values()].filter(
        (upload) => upload.bucket === bucket && upload.key.startsWith(prefix),
      );
      return found.sort(
        (a, b) => compare(a.key, b.key) || a.initiated.getTime() - b.initiated.getTime(),
      );
    },
    parts: (upload) => partsIn(placeOf(upload)),
    put(upload, number, body) {
      const place = placeOf(upload);
      const sums = 'path' in body ? body : sumsOf(body);
      const name = [String(number).padStart(5, '0'), sums.md5, sums.sha256, sums.crc32].join('.');
      if ('path' in body) renameSync(body.path, join(place, name));
      else writeFileSync(join(place, name), body, { mode: 0o600 });
      for (const other of readdirSync(place)) {
        if (other.startsWith(name.slice(0, 6)) && other !== name) rmSync(join(place, other));
      }
      return partAt(place, name)!;
    },
    complete(upload, parts, to) {
      const place = placeOf(upload);
      const numbers = new Set(parts.map(({ number }) => number));
      for (const name of readdirSync(place)) {
        if (!numbers.has(Number(name.slice(0, 5)))) rmSync(join(place, name));
      }
      renameSync(place, to);
      uploads.delete(upload.id);
    },
    abort(upload) {
      uploads.delete(upload.id);
      rmSync(placeOf(upload), { recursive: true, force: true });
    },
  };
}

/** Of one that was put twice, and whose first file a crash left, the later. */
function partsIn(place: string): readonly Part[] {
  const found = new Map<number, Part>();
  for (const name of readdirSync(place).sort()) {
    const part = partAt(place, name);
    const before = part === undefined ? undefined : found.get(part.number);
    if (part === undefined || (before !== undefined && before.storedAt > part.storedAt)) continue;
    found.set(part.number, part);
  }
  return [...found.values()];
}

function partAt(place: string, name: string): Part | undefined {
  const match = /^(\d{5})\.([0-9a-f]{32})\.([0-9a-f]{64})\.([0-9a-f]{8})$/.exec(name);
  if (match === null) return undefined;
  const [, number = '', md5 = '', sha256 = '', sum = ''] = match;
  const { size: bytes, mtime: storedAt } = statSync(join(place, name));
  return { number: Number(number), bytes, storedAt, md5, sha256, crc32: sum };
}

const sumsOf = (body: Buffer): Pick<Part, 'md5' | 'sha256' | 'crc32'> => ({
  md5: createHash('md5').update(body).digest('hex'),
  sha256: createHash('sha256').update(body).digest('hex'),
  crc32: (crc32(body) >>> 0).toString(16).padStart(8, '0'),
});

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
