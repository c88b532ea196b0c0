import { archiveHeadersMax, archiveNameBytesMax } from '../limits.ts';

/**
 * Reads a tar as it comes: what POSIX calls ustar and pax, and the long names of GNU. It was made
 * by a stranger, so whatever it says is checked by who uses it, and what is no tar is an error.
 */
export type TarEntry = {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'hard-link' | 'other';
  /** Where a link leads. */
  readonly target: string;
  readonly isExecutable: boolean;
  readonly bytes: number;
};

/** What is in the entry that came last; it has to be read before the next one. */
export type TarContent = (take: (piece: Buffer) => Promise<void>) => Promise<void>;

export class NoTar extends Error {}

const block = 512;

export async function* readTar(
  pieces: AsyncIterable<Buffer>,
  headersMax = archiveHeadersMax,
): AsyncGenerator<{ readonly entry: TarEntry; readonly content: TarContent }> {
  const source = makeSource(pieces);
  let more = new Map<string, string>();
  for (let headers = 1; ; headers++) {
    const header = await source.read(block);
    if (header === null || header.every((byte) => byte === 0)) return;
    if (headers > headersMax) throw new NoTar('it has too many entries');
    checkSum(header);
    const type = String.fromCharCode(header[156]!);
    const said = numberOf(header, 124, 12);
    if (isExtension(type)) {
      const text = await extensionOf(source, said);
      if (type === 'x') more = new Map([...more, ...recordsOf(text)]);
      else if (type === 'L') more.set('path', textOf(text));
      else if (type === 'K') more.set('linkpath', textOf(text));
      continue;
    }
    const entry = entryOf(header, type, more);
    more = new Map();
    // Of what is no file the size says something else.
    let left = entry.kind === 'file' ? entry.bytes : 0;
    const padding = (block - (left % block)) % block;
    const content: TarContent = async (take) => {
      while (left > 0) {
        const piece = await source.some(left);
        left -= piece.length;
        await take(piece);
      }
    };
    yield { entry, content };
    await content(async () => {});
    if (padding > 0 && (await source.read(padding)) === null) throw new NoTar('it ends too early');
  }
}

const isExtension = (type: string): boolean => ['x', 'g', 'L', 'K'].includes(type);

type Source = {
  /** So many bytes; `null` at the end. */
  read(count: number): Promise<Buffer | null>;
  /** At least one, and at most so many. */
  some(most: number): Promise<Buffer>;
};

function makeSource(pieces: AsyncIterable<Buffer>): Source {
  const iterator = pieces[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const fill = async (): Promise<boolean> => {
    const next = await iterator.next();
    if (next.done === true) return false;
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
    return true;
  };
  const cut = (count: number): Buffer => {
    const taken = rest.subarray(0, count);
    rest = rest.subarray(count);
    return taken;
  };
  return {
    async read(count) {
      while (rest.length < count) {
        if (await fill()) continue;
        if (rest.length === 0) return null;
        throw new NoTar('it ends too early');
      }
      return cut(count);
    },
    async some(most) {
      while (rest.length === 0) if (!(await fill())) throw new NoTar('it ends too early');
      return cut(Math.min(most, rest.length));
    },
  };
}

async function extensionOf(source: Source, bytes: number): Promise<Buffer> {
  if (bytes > archiveNameBytesMax) throw new NoTar('a name in it is too long');
  const whole = Math.ceil(bytes / block) * block;
  const read = whole === 0 ? Buffer.alloc(0) : await source.read(whole);
  if (read === null) throw new NoTar('it ends too early');
  return Buffer.from(read.subarray(0, bytes));
}

/** Lines of pax: `<length> <name>=<value>`, where the length counts all of it. */
function recordsOf(bytes: Buffer): [string, string][] {
  const records: [string, string][] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = space < 0 ? Number.NaN : Number(bytes.subarray(at, space).toString('latin1'));
    if (!(length > space - at) || at + length > bytes.length) throw new NoTar('a record is broken');
    const record = bytes.subarray(space + 1, at + length - 1).toString('utf8');
    const equals = record.indexOf('=');
    records.push([record.slice(0, equals), record.slice(equals + 1)]);
    at += length;
  }
  return records;
}

function entryOf(header: Buffer, type: string, more: ReadonlyMap<string, string>): TarEntry {
  const name = textOf(header.subarray(0, 100));
  const isPosix = header.subarray(257, 263).toString('latin1') === 'ustar\0';
  const prefix = isPosix ? textOf(header.subarray(345, 500)) : '';
  const path = more.get('path') ?? (prefix === '' ? name : `${prefix}/${name}`);
  const bytes = more.has('size') ? Number(more.get('size')) : numberOf(header, 124, 12);
  if (!Number.isSafeInteger(bytes) || bytes < 0)
    throw new NoTar('what should be a size is something else');
  return {
    path,
    kind: kindOf(type, path),
    target: more.get('linkpath') ?? textOf(header.subarray(157, 257)),
    isExecutable: (numberOf(header, 100, 8) & 0o100) !== 0,
    bytes,
  };
}

function kindOf(type: string, path: string): TarEntry['kind'] {
  if (type === '5') return 'directory';
  if (type === '2') return 'link';
  if (type === '1') return 'hard-link';
  if (type !== '0' && type !== '\0' && type !== '7') return 'other';
  // Before there were types a directory was what ends with a slash.
  return path.endsWith('/') ? 'directory' : 'file';
}

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end < 0 ? bytes.length : end).toString('utf8');
}

/** In octal digits; or, with its first bit set, in base 256. */
function numberOf(header: Buffer, at: number, length: number): number {
  const field = header.subarray(at, at + length);
  if (((field[0] ?? 0) & 0x80) !== 0) {
    return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, field[0]! & 0x7f);
  }
  const text = textOf(field).trim();
  if (!/^[0-7]*$/.test(text)) throw new NoTar('what should be a number is something else');
  return text === '' ? 0 : Number.parseInt(text, 8);
}

/** Of all bytes of a header, as if the sum itself were spaces. */
function checkSum(header: Buffer): void {
  let sum = 8 * 0x20;
  for (let at = 0; at < block; at++) if (at < 148 || at >= 156) sum += header[at]!;
  if (sum !== numberOf(header, 148, 8)) throw new NoTar('it is no tar, or was changed');
}
