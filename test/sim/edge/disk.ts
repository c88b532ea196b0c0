import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import type { FileSystem } from '../../../edge-agent/disk/file-system.ts';
import type { SeededRandom } from '../seeded-random.ts';

/**
 * An edge's disk, with what POSIX promises and no more. What was written survives the death of the
 * process. A loss of power takes any tail of a file that was not synced, in the middle of a line if
 * it comes to that, and the names of files that their directory was not synced for. When it is full
 * it takes what there is room for, and then nothing.
 */
export class Disk {
  readonly specs = new Map<string, AgentSpec>();
  /** Of chunks that ended and whose results are wanted. */
  readonly directories = new Set<string>();
  #roomBytes = Number.POSITIVE_INFINITY;
  #names = new Map<string, File>();
  #syncedNames = new Map<string, File>();
  /** Changes of names since the directory was synced, oldest first. */
  #renamings: ((names: Map<string, File>) => void)[] = [];

  /** For one life of the agent: after its death it writes nothing more, and hears nothing. */
  mount(isAlive: () => boolean, pause: () => Promise<void>): FileSystem {
    const open = new Map<number, File>();
    let opened = 0;
    return {
      read: (path) => this.#names.get(path)?.bytes ?? null,
      open: (path, flags) => {
        let file = this.#names.get(path);
        if (file === undefined || flags === 'w') {
          file = { bytes: Buffer.alloc(0), syncedBytes: 0 };
          this.#name(path, file);
        }
        open.set(++opened, file);
        return opened;
      },
      write: (fd, bytes, offset) => {
        const file = open.get(fd)!;
        const taken = bytes.subarray(offset, Math.min(bytes.length, offset + this.#roomBytes));
        if (!isAlive()) return bytes.length - offset;
        if (taken.length === 0) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
        this.#roomBytes -= taken.length;
        file.bytes = Buffer.concat([file.bytes, taken]);
        return taken.length;
      },
      truncate: (fd, length) => {
        const file = open.get(fd)!;
        this.#roomBytes += Math.max(0, file.bytes.length - length);
        file.bytes = file.bytes.subarray(0, length);
        file.syncedBytes = Math.min(file.syncedBytes, length);
      },
      fdatasync: (fd, done) => {
        const file = open.get(fd)!;
        const { length } = file.bytes;
        pause().then(() => {
          if (!isAlive()) return;
          file.syncedBytes = Math.max(file.syncedBytes, length);
          done(null);
        });
      },
      fsync: (fd) => {
        const file = open.get(fd)!;
        if (isAlive()) file.syncedBytes = file.bytes.length;
      },
      close: (fd) => {
        open.delete(fd);
      },
      rename: (from, to) => {
        const file = this.#names.get(from);
        if (file === undefined || !isAlive()) return;
        this.#name(to, file);
        this.#change((names) => names.delete(from));
      },
      syncDirectory: () => {
        if (isAlive()) this.#syncNames();
      },
    };
  }

  /** Somebody else fills it up to so many bytes, or frees it again. */
  leave(roomBytes: number): void {
    this.#roomBytes = roomBytes;
  }

  get isFull(): boolean {
    return this.#roomBytes < Number.POSITIVE_INFINITY;
  }

  copyFrom(other: Disk): void {
    for (const [key, spec] of other.specs) this.specs.set(key, spec);
    for (const key of other.directories) this.directories.add(key);
    for (const [path, { bytes }] of other.#names) {
      this.#name(path, { bytes, syncedBytes: bytes.length });
    }
    this.#syncNames();
  }

  losePower(random: SeededRandom): void {
    const kept = new Map(this.#syncedNames);
    const survived = this.#renamings.slice(0, random.between(0, this.#renamings.length));
    for (const change of survived) change(kept);
    this.#names = kept;
    this.#syncNames();
    for (const file of kept.values()) {
      file.bytes = file.bytes.subarray(0, random.between(file.syncedBytes, file.bytes.length));
      file.syncedBytes = file.bytes.length;
    }
  }

  #name(path: string, file: File): void {
    this.#change((names) => names.set(path, file));
  }

  #change(change: (names: Map<string, File>) => void): void {
    change(this.#names);
    this.#renamings.push(change);
  }

  #syncNames(): void {
    this.#syncedNames = new Map(this.#names);
    this.#renamings = [];
  }
}

type File = { bytes: Buffer; syncedBytes: number };
