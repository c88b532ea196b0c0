/**
 * What the agent and its launcher say to each other over a socket in the data directory: lines of
 * JSON.
 *
 * The launcher keeps an ended chunk until the agent has acknowledged it, so that a result
 * survives the agent.
 */
export const launcherProtocol = 1;

export type LaunchOrder = {
  readonly id: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
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
  /** When to send the tail along. */
  readonly keep: 'failed' | 'all' | 'none';
};

export type ToLauncher =
  | ({ readonly k: 'start' } & LaunchOrder)
  | { readonly k: 'stop'; readonly id: string }
  | { readonly k: 'ack'; readonly id: string }
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
  /** Base64. */
  readonly tail: string | null;
};

export type FromLauncher =
  | {
      readonly k: 'hello';
      readonly protocol: number;
      readonly pid: number;
      /** What it holds: running, or ended and not acknowledged; the ends follow. */
      readonly held: readonly string[];
    }
  | ({ readonly k: 'ended' } & LaunchEnd);

/**
 * Cuts a byte stream into lines; a line that grows beyond `bytesMax` is not ours and ends the
 * connection.
 */
export function makeLineReader(
  bytesMax: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
): (part: Buffer) => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  return (part) => {
    let start = 0;
    for (let end = part.indexOf(10); end >= 0; end = part.indexOf(10, start)) {
      parts.push(part.subarray(start, end));
      const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
      parts = [];
      bytes = 0;
      start = end + 1;
      onLine(line.toString('utf8'));
    }
    if (start === part.length) return;
    parts.push(part.subarray(start));
    bytes += part.length - start;
    if (bytes > bytesMax) onTooLong();
  };
}
