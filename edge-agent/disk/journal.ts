import { dirname } from 'node:path';
import {
  compactionPieceLengthMax,
  journalBytesMin,
  journalGrowthMax,
  journalPendingMax,
} from '../limits.ts';
import { type FileSystem, hostFiles } from './file-system.ts';
import { decodeRecord, encodeRecord, type JournalRecord } from './journal-record.ts';

/**
 * The agent's memory on disk: an append-only file of checksummed lines, one for all edges of the
 * process.
 *
 * `append` hands a record to the kernel before it returns, which survives kill -9; `sync` waits
 * for the disk, which survives power loss. A torn last line is cut off, a damaged one in the
 * middle is skipped and reported. A disk that is full or read-only is a state: records wait in
 * memory, in order, and are written when the disk takes them again.
 */
export type DiskState = 'ok' | 'disk-full' | 'read-only' | 'disk-failing';

export type Journal = {
  /** All of these in one piece. */
  append(...records: readonly JournalRecord[]): void;
  /**
   * Resolves when everything appended so far is durable: `true`, or `false` while the disk takes
   * nothing.
   */
  sync(): Promise<boolean>;
  /** Tries to write what waits, and syncs it; answers the state after it. */
  retry(): DiskState;
  state(): DiskState;
  /** Rewrites the file from `snapshot` when it has grown enough. */
  compactIfGrown(snapshot: () => Iterable<JournalRecord>): void;
  close(): void;
};

export type OpenedJournal = {
  readonly journal: Journal;
  readonly records: readonly JournalRecord[];
  /** Lines in the middle that could not be read. */
  readonly damagedLines: number;
};

/** Only a test gives another disk, or lets the journal be rewritten earlier. */
export function openJournal(
  path: string,
  files: FileSystem = hostFiles,
  rewriteBytesMin = journalBytesMin,
): OpenedJournal {
  const bytes = files.read(path);
  const { records, damagedLines, goodBytes } = readJournal(Buffer.from(bytes ?? []));
  const journal = new FileJournal({ path, files, rewriteBytesMin }, goodBytes);
  return { journal, records, damagedLines };
}

function readJournal(bytes: Buffer): {
  records: JournalRecord[];
  damagedLines: number;
  goodBytes: number;
} {
  const records: JournalRecord[] = [];
  let bad = 0;
  let damagedLines = 0;
  let goodBytes = 0;
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(10, start);
    if (end < 0) break;
    // An empty line is how the journal asks a disk whether it takes writes again.
    const isProbe = end === start;
    const record = isProbe ? null : decodeRecord(bytes.toString('utf8', start, end));
    start = end + 1;
    if (isProbe) continue;
    if (record === null) {
      bad += 1;
      continue;
    }
    // Only a good line behind them shows that bad lines are damage and not the torn end.
    damagedLines += bad;
    bad = 0;
    goodBytes = start;
    records.push(record);
  }
  return { records, damagedLines, goodBytes };
}

type Place = {
  readonly path: string;
  readonly files: FileSystem;
  readonly rewriteBytesMin: number;
};

class FileJournal implements Journal {
  readonly #path: string;
  readonly #files: FileSystem;
  readonly #rewriteBytesMin: number;
  #fd: number | null = null;
  #goodBytes: number;
  #compactedBytes: number;
  #state: DiskState = 'ok';
  #pending: string[] = [];
  /** More waited than fits: only a rewrite has all of it. */
  #isIncomplete = false;
  #syncing: Promise<boolean> | null = null;
  #nextSync: Promise<boolean> | null = null;
  #unsynced: boolean;
  /** Whether the name of the file, and not only what is in it, survives a loss of power. */
  #isNamed = false;

  constructor(place: Place, goodBytes: number) {
    this.#path = place.path;
    this.#files = place.files;
    this.#rewriteBytesMin = place.rewriteBytesMin;
    this.#goodBytes = goodBytes;
    this.#compactedBytes = goodBytes;
    // A life before this one may have ended between writing, or renaming, and syncing.
    this.#unsynced = goodBytes > 0;
    this.#open();
  }

  append(...records: readonly JournalRecord[]): void {
    if (records.length === 0) return;
    const lines = records.map(encodeRecord);
    const mayWrite = this.#pending.length === 0 && this.#state === 'ok';
    if (mayWrite && this.#write(lines.join(''))) return;
    const room = journalPendingMax - this.#pending.length;
    if (lines.length > room) this.#isIncomplete = true;
    this.#pending.push(...lines.slice(0, room));
  }

  retry(): DiskState {
    if (this.#fd === null) this.#open();
    if (this.#fd !== null) {
      const text = this.#pending.join('');
      if (text === '' ? this.#probe() : this.#write(text)) {
        this.#pending = [];
        this.#state = 'ok';
        // It may have been reported while it waited.
        void this.sync();
      }
    }
    return this.#state;
  }

  state(): DiskState {
    return this.#state;
  }

  sync(): Promise<boolean> {
    if (this.#fd === null) return Promise.resolve(false);
    // What was written before the disk took nothing any more is about to be reported, too.
    if (!this.#unsynced && this.#syncing === null) return Promise.resolve(this.#state === 'ok');
    if (this.#syncing === null) {
      this.#syncing = this.#syncNow();
      return this.#syncing;
    }
    // What was appended since may have missed the running one: everybody who asks now shares the
    // next.
    this.#nextSync ??= this.#syncing.then(() => {
      this.#nextSync = null;
      this.#syncing = this.#syncNow();
      return this.#syncing;
    });
    return this.#nextSync;
  }

  compactIfGrown(snapshot: () => Iterable<JournalRecord>): void {
    const limit = Math.max(this.#rewriteBytesMin, this.#compactedBytes * journalGrowthMax);
    if (this.#state !== 'ok' || this.#syncing !== null) return;
    if (this.#goodBytes < limit && !this.#isIncomplete) return;
    try {
      this.#compact(snapshot());
    } catch (error) {
      this.#compactedBytes = this.#goodBytes;
      this.#note(error);
      // The old file is whole and still open; the next growth tries again.
      if (this.#fd !== null) this.#state = 'ok';
    }
  }

  close(): void {
    if (this.#fd === null) return;
    try {
      this.#files.fsync(this.#fd);
    } catch {
      // Closing is the last thing: what the disk refuses now it refused before, and that was
      // reported.
    }
    this.#files.close(this.#fd);
    this.#fd = null;
  }

  #open(): void {
    try {
      this.#fd = this.#files.open(this.#path, 'a+');
      this.#files.truncate(this.#fd, this.#goodBytes);
    } catch (error) {
      this.#note(error);
    }
  }

  #write(text: string): boolean {
    if (this.#fd === null) return false;
    const bytes = Buffer.from(text);
    try {
      let written = 0;
      while (written < bytes.length) written += this.#files.write(this.#fd, bytes, written);
      this.#goodBytes += bytes.length;
      this.#unsynced = true;
      return true;
    } catch (error) {
      this.#note(error);
      this.#cutBack();
      return false;
    }
  }

  /** A full disk may take half a record; cutting it off needs no space. */
  #cutBack(): void {
    try {
      if (this.#fd !== null) this.#files.truncate(this.#fd, this.#goodBytes);
    } catch {
      // The checksum will tell at the next start.
    }
  }

  #probe(): boolean {
    return this.#write('\n');
  }

  #syncNow(): Promise<boolean> {
    this.#unsynced = false;
    const fd = this.#fd;
    if (fd === null) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#files.fdatasync(fd, (error) => {
        this.#syncing = null;
        resolve(this.#settled(error));
      });
    });
  }

  /** What is in the file is durable; now its name, if it is a new one. */
  #settled(error: Error | null): boolean {
    try {
      if (error !== null) throw error;
      if (!this.#isNamed) this.#files.syncDirectory(dirname(this.#path));
      this.#isNamed = true;
      return this.#state === 'ok';
    } catch (cause) {
      this.#note(cause);
      this.#unsynced = true;
      return false;
    }
  }

  #compact(records: Iterable<JournalRecord>): void {
    const fresh = `${this.#path}.new`;
    const files = this.#files;
    const fd = files.open(fresh, 'w');
    let bytes = 0;
    try {
      let text = '';
      for (const record of records) {
        text += encodeRecord(record);
        if (text.length > compactionPieceLengthMax) {
          bytes += writeAll(files, fd, text);
          text = '';
        }
      }
      bytes += writeAll(files, fd, text);
      files.fsync(fd);
    } finally {
      files.close(fd);
    }
    files.rename(fresh, this.#path);
    this.#isIncomplete = false;
    // From here on the new file is the journal: the next sync makes its name durable.
    this.#isNamed = false;
    this.#unsynced = true;
    this.#goodBytes = bytes;
    this.#compactedBytes = bytes;
    if (this.#fd !== null) files.close(this.#fd);
    this.#fd = null;
    this.#fd = files.open(this.#path, 'a+');
  }

  #note(error: unknown): void {
    const code = (error as { code?: string }).code ?? '';
    if (code === 'ENOSPC' || code === 'EDQUOT') this.#state = 'disk-full';
    else if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') this.#state = 'read-only';
    else this.#state = 'disk-failing';
  }
}

function writeAll(files: FileSystem, fd: number, text: string): number {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += files.write(fd, bytes, written);
  return bytes.length;
}
