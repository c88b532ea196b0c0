/**
 * Files by the SHA-256 of what is in them. Those of one space are not there for another: who knows
 * a digest of somebody else's file knows no more than before. What jobs need is in the space of
 * their pool.
 */
export type Files = {
  /** `null`: it is not there. */
  find(space: string, digest: string): Promise<StoredFile | null>;
  /** All of a small file; `null` when it is not there, or larger. */
  read(space: string, digest: string, bytesMax: number): Promise<Uint8Array | null>;
  /** The bytes from `from` up to `to`, or to its end; `null` when it is not there. */
  readPart(space: string, digest: string, from: number, to: number): Promise<Uint8Array | null>;
  /** What was noted of a file under a name; `null`: nothing, or more than `bytesMax`. */
  readNote(
    space: string,
    digest: string,
    name: string,
    bytesMax: number,
  ): Promise<StoredNote | null>;
  keepNote(space: string, digest: string, name: string, bytes: Uint8Array): Promise<void>;
  /** Where its bytes are put; the store refuses others than those of the digest. */
  uploadAddress(space: string, digest: string, nowMs: number): FileAddress;
  /** As `find`, where what is stored was compared with these very parts; `null` otherwise. */
  findInParts(space: string, digest: string, parts: FileParts): Promise<StoredFile | null>;
  /**
   * Begins an upload in parts, or goes on with the one that is under way: where parts are put that
   * are not there. `null`: all were there, and the file is whole from now on.
   */
  storeInParts(
    space: string,
    digest: string,
    parts: FileParts,
    nowMs: number,
  ): Promise<PartUploads | null>;
  /** Where it is read, whole or in part. */
  downloadAddress(space: string, digest: string, nowMs: number): FileAddress;
};

/** What chunks of jobs left, each job in a space of its own (`core/files/result-space.ts`). */
export type ResultFiles = Pick<
  Files,
  | 'find'
  | 'read'
  | 'readPart'
  | 'uploadAddress'
  | 'downloadAddress'
  | 'findInParts'
  | 'storeInParts'
> & {
  removeAll(space: string): Promise<void>;
};

export type StoredFile = { readonly bytes: number; readonly storedAtMs: number };

/** A file cut into pieces of `filePartBytes`; the last one may be smaller. */
export type FileParts = {
  readonly bytes: number;
  /** The SHA-256 of each, in hexadecimal: the store refuses others. */
  readonly sums: readonly string[];
};

export type PartUploads = {
  readonly uploadId: string;
  /** By number, from 1; at most `partAddressesMax`. */
  readonly parts: readonly { readonly number: number; readonly address: FileAddress }[];
};

export type StoredNote = { readonly bytes: Uint8Array; readonly storedAtMs: number };

export type FileAddress = {
  readonly url: string;
  /** To be sent as they are. */
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAtMs: number;
};
