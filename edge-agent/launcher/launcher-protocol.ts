import { constants } from 'node:os';

/**
 * What the agent and its launcher say to each other over a socket in the data directory: frames of
 * four bytes of length, the lowest first, and fields that end in a zero byte. The launcher has no
 * JSON, and what starts a program has no zeros in it.
 *
 * The launcher keeps an ended chunk until the agent has acknowledged it, so that a result
 * survives the agent.
 */
export const launcherProtocol = 6;

export type LaunchOrder = {
  readonly id: string;
  readonly argv: readonly string[];
  /** Programs that end in running `argv`: they set its limits and its user. */
  readonly wrapper: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether it also sees what the launcher sees of its host. A chunk itself does not. */
  readonly inherits: boolean;
  readonly cwd: string | null;
  /**
   * Whether what it starts is ours to kill. Not for commands: a cluster's jobs inherit the
   * environment of whoever submitted them, and shall outlive the agent.
   */
  readonly isMarked: boolean;
  readonly timeoutMs: number | null;
  readonly killAfterMs: number;
  /** How much of the end of its output is wanted; 0: none. */
  readonly tailBytes: number;
  /** Whose its output file is, so that it may open it again; `null`: the launcher's. */
  readonly outputOwner: { readonly uid: number; readonly gid: number } | null;
  /** Whether what it says on standard error is kept by itself. */
  readonly errorsApart: boolean;
  /** Under which name its output is kept whole, and up to how much; `null`: it is not. */
  readonly whole: WholeOutput | null;
  /** When to send the tail along. */
  readonly keep: 'failed' | 'all' | 'none';
};

/** A file in the directory of whole outputs; that of standard error has a word behind its name. */
export type WholeOutput = { readonly name: string; readonly bytesMax: number };

export const wholeDirectoryName = 'printed';
export const wholeErrorsWord = '_stderr';

/** Whom it starts programs for: one data directory of the agent's process. */
export type LauncherPlace = { readonly socketPath: string; readonly directory: string };

/** An order as it travels: with its whole environment. */
export type SentOrder = Omit<LaunchOrder, 'inherits'>;

export type ToLauncher =
  | ({ readonly k: 'start' } & SentOrder)
  | { readonly k: 'stop'; readonly id: string }
  | { readonly k: 'ack'; readonly id: string }
  /** For a part of what it has printed; below zero `from` counts from the end. */
  | { readonly k: 'look'; readonly id: string; readonly from: number }
  | ({ readonly k: 'serve' } & LauncherPlace)
  | { readonly k: 'shutdown' };

/**
 * How a process ended: exactly one of `code`, `signal` and `error`, except that a timeout has its
 * signal beside it.
 */
export type LaunchEnd = {
  readonly id: string;
  readonly code: number | null;
  readonly signal: string | null;
  /** It could not be started. */
  readonly error: string | null;
  readonly isTimeout: boolean;
  readonly isStopped: boolean;
  readonly durationMs: number;
  /** What it said on standard error, where that is kept by itself. */
  readonly errors: OutputEnds | null;
} & OutputEnds;

/** What is left of what a process printed. */
export type OutputEnds = {
  /** Its beginning, where `tail` is not all of it. */
  readonly head: Uint8Array | null;
  readonly tail: Uint8Array | null;
  /** What it printed in all. */
  readonly printedBytes: number;
};

/** A part of what a process has printed: `from` is where it begins in the whole. */
export type OutputPart = {
  readonly from: number;
  readonly total: number;
  readonly bytes: Uint8Array;
};

export type FromLauncher =
  | {
      readonly k: 'hello';
      readonly protocol: number;
      readonly pid: number;
      /** What it holds: running, or ended and not acknowledged; the ends follow. */
      readonly held: readonly string[];
    }
  | ({ readonly k: 'ended' } & LaunchEnd)
  /** `null`: it does not run, or nobody keeps what it prints. */
  | { readonly k: 'seen'; readonly id: string; readonly part: OutputPart | null };

/** Whether it can be said at all: a zero byte would end the field, and no program takes one. */
export function isSendable({ argv, wrapper, env, cwd }: LaunchOrder): boolean {
  const words = [...argv, ...wrapper, ...Object.keys(env), ...Object.values(env), cwd ?? ''];
  return !words.some((word) => word.includes('\0'));
}

export function encodeToLauncher(message: ToLauncher): Buffer {
  switch (message.k) {
    case 'start':
      return frameOf(['start', ...fieldsOf(message)]);
    case 'serve':
      return frameOf(['serve', message.socketPath, message.directory]);
    case 'shutdown':
      return frameOf(['shutdown']);
    case 'look':
      return frameOf(['look', message.id, message.from]);
    case 'stop':
    case 'ack':
      return frameOf([message.k, message.id]);
  }
}

function fieldsOf(order: SentOrder): (string | number)[] {
  const env = Object.entries(order.env).map(([name, value]) => `${name}=${value}`);
  return [
    order.id,
    `${order.isMarked ? 'm' : ''}${order.errorsApart ? 'e' : ''}`,
    order.cwd ?? '',
    order.timeoutMs === null ? '' : Math.ceil(order.timeoutMs),
    order.killAfterMs,
    order.tailBytes,
    order.keep,
    order.outputOwner?.uid ?? '',
    order.outputOwner?.gid ?? '',
    order.whole?.name ?? '',
    order.whole?.bytesMax ?? '',
    ...[order.wrapper, order.argv, env].flatMap((words) => [words.length, ...words]),
  ];
}

export function decodeToLauncher(body: Buffer): ToLauncher | null {
  const [kind = '', first = '', ...rest] = body.toString('utf8').split('\0');
  if (kind === 'start') return { k: 'start', id: first, ...orderOf(rest) };
  if (kind === 'serve') return { k: 'serve', socketPath: first, directory: rest[0] ?? '' };
  if (kind === 'stop' || kind === 'ack') return { k: kind, id: first };
  if (kind === 'look') return { k: 'look', id: first, from: Number(rest[0]) };
  return kind === 'shutdown' ? { k: 'shutdown' } : null;
}

function orderOf(fields: readonly string[]): Omit<SentOrder, 'id'> {
  const [flags = '', cwd = '', timeoutMs = '', killAfterMs, tailBytes, keep, ...more] = fields;
  const [uid = '', gid, wholeName = '', wholeBytes] = more;
  let at = 10;
  const words = (): string[] => {
    const count = Number(fields[at]);
    at += 1 + count;
    return fields.slice(at - count, at);
  };
  const [wrapper, argv, env] = [words(), words(), words()];
  return {
    wrapper,
    argv,
    env: Object.fromEntries(env.map((one) => splitAt(one, one.indexOf('=')))),
    cwd: cwd === '' ? null : cwd,
    isMarked: flags.includes('m'),
    errorsApart: flags.includes('e'),
    timeoutMs: timeoutMs === '' ? null : Number(timeoutMs),
    killAfterMs: Number(killAfterMs),
    tailBytes: Number(tailBytes),
    keep: keep === 'all' || keep === 'none' ? keep : 'failed',
    whole: wholeName === '' ? null : { name: wholeName, bytesMax: Number(wholeBytes) },
    outputOwner: uid === '' ? null : { uid: Number(uid), gid: Number(gid) },
  };
}

const splitAt = (text: string, at: number) => [text.slice(0, at), text.slice(at + 1)] as const;

export function encodeFromLauncher(message: FromLauncher): Buffer {
  if (message.k === 'hello') {
    return frameOf(['hello', message.protocol, message.pid, ...message.held]);
  }
  if (message.k === 'seen') {
    const { id, part } = message;
    if (part === null) return frameOf(['seen', id]);
    return frameOf(['seen', id, part.from, part.total], part.bytes);
  }
  const { id, code, signal, error, isTimeout, isStopped, durationMs, errors } = message;
  const said = [isTimeout && 't', isStopped && 's', message.tail !== null && 'o'];
  said.push(errors?.tail != null && 'e', errors !== null && 'a');
  const flags = said.filter((flag) => flag !== false).join('');
  const number = signal === null ? '' : (constants.signals[signal as NodeJS.Signals] ?? '');
  const micros = Math.round(durationMs * 1_000);
  const words = ['ended', id, code ?? '', number, error ?? '', flags, micros];
  const [output, other] = [sizedOf(message), sizedOf(errors ?? nothingPrinted)];
  return frameOf(
    [...words, ...output.sizes, ...other.sizes],
    Buffer.concat([output.bytes, other.bytes]),
  );
}

export const nothingPrinted: OutputEnds = { head: null, tail: null, printedBytes: 0 };

function sizedOf({ head, tail, printedBytes }: OutputEnds) {
  const parts = tail === null ? [] : [head ?? new Uint8Array(), tail];
  const [headBytes = 0, tailBytes = 0] = parts.map(({ length }) => length);
  return { sizes: [printedBytes, headBytes, tailBytes], bytes: Buffer.concat(parts) };
}

export function decodeFromLauncher(body: Buffer): FromLauncher | null {
  const kind = body.toString('latin1', 0, body.indexOf(0));
  if (kind === 'hello') {
    const [, protocol, pid, ...held] = body.toString('utf8').split('\0').slice(0, -1);
    return { k: 'hello', protocol: Number(protocol), pid: Number(pid), held };
  }
  if (kind === 'seen') return seenOf(body);
  return kind === 'ended' ? endOf(body) : null;
}

const endFields = 13;
const seenFields = 4;

function seenOf(body: Buffer): FromLauncher {
  const { fields, at } = fieldsAt(body, seenFields);
  const [, id = '', from, total] = fields;
  if (from === undefined) return { k: 'seen', id, part: null };
  const bytes = Buffer.from(body.subarray(at));
  return { k: 'seen', id, part: { from: Number(from), total: Number(total), bytes } };
}

/** So many fields, and where what follows them begins: that is output, byte for byte. */
function fieldsAt(body: Buffer, count: number): { fields: string[]; at: number } {
  const fields: string[] = [];
  let at = 0;
  while (fields.length < count) {
    const end = body.indexOf(0, at);
    if (end < 0) break;
    fields.push(body.toString('utf8', at, end));
    at = end + 1;
  }
  return { fields, at };
}

function endOf(body: Buffer): FromLauncher {
  const { fields, at } = fieldsAt(body, endFields);
  const [, id = '', code = '', signal = '', error = '', flags = '', micros, ...sizes] = fields;
  const [printed = 0, head = 0, tail = 0, errorsPrinted = 0, errorsHead = 0] = sizes.map(Number);
  const endsAt = (begin: number, headBytes: number, tailEnd: number, isKept: boolean) => ({
    head: headBytes > 0 ? Buffer.from(body.subarray(begin, begin + headBytes)) : null,
    tail: isKept ? Buffer.from(body.subarray(begin + headBytes, tailEnd)) : null,
  });
  const errorsAt = at + head + tail;
  const errors = endsAt(errorsAt, errorsHead, body.length, flags.includes('e'));
  return {
    k: 'ended',
    id,
    code: code === '' ? null : Number(code),
    signal: signal === '' ? null : nameOfSignal(Number(signal)),
    error: error === '' ? null : error,
    isTimeout: flags.includes('t'),
    isStopped: flags.includes('s'),
    durationMs: Number(micros) / 1_000,
    ...endsAt(at, head, errorsAt, flags.includes('o')),
    printedBytes: printed,
    errors: flags.includes('a') ? { ...errors, printedBytes: errorsPrinted } : null,
  };
}

function nameOfSignal(number: number): string {
  const found = Object.entries(constants.signals).find(([, one]) => one === number);
  return found?.[0] ?? `SIG${number}`;
}

const lengthBytes = 4;

function frameOf(fields: readonly (string | number)[], tail: Uint8Array | null = null): Buffer {
  const text = `${fields.join('\0')}\0`;
  const bytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(lengthBytes + bytes + (tail?.length ?? 0));
  frame.writeUInt32LE(frame.length - lengthBytes);
  frame.write(text, lengthBytes);
  if (tail !== null) frame.set(tail, lengthBytes + bytes);
  return frame;
}

/**
 * Cuts a byte stream into the bodies of frames; one longer than `bytesMax` is not ours and ends
 * the connection.
 */
export function makeFrameReader(
  bytesMax: number,
  onFrame: (body: Buffer) => void,
  onTooLong: () => void,
): (part: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (part) => {
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part]);
    let at = 0;
    while (bytes.length - at >= lengthBytes) {
      const length = bytes.readUInt32LE(at);
      if (length > bytesMax) return onTooLong();
      if (bytes.length - at - lengthBytes < length) break;
      at += lengthBytes + length;
      onFrame(bytes.subarray(at - length, at));
    }
    rest = bytes.subarray(at);
  };
}
