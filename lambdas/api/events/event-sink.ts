import type { Writable } from 'node:stream';
import { eventStreamStallMs } from '../../../core/events/limits.ts';

/** Where a stream of events goes. */
export type EventSink = {
  /** Before anything else. */
  begin(status: number, headers: Readonly<Record<string, string>>): void;
  /** Whether it was taken; `false`: nobody reads any more, or not fast enough. */
  write(text: string): Promise<boolean>;
  end(): void;
};

/**
 * On the stream that Lambda gives a function. What its reader has not taken waits in the buffer of
 * that stream: no more is written before there is room.
 */
export function sinkOn(
  stream: Writable,
  withHead: (stream: Writable, head: object) => Writable,
  pause: (ms: number) => Promise<void>,
): EventSink {
  let out = stream;
  let isGone = false;
  let isStalled = false;
  const gone = () => {
    isGone = true;
  };
  stream.on('error', gone).on('close', gone);
  return {
    begin(statusCode, headers) {
      out = withHead(stream, { statusCode, headers });
      if (out !== stream) out.on('error', gone).on('close', gone);
    },
    async write(text) {
      if (isGone) return false;
      if (out.write(text)) return true;
      const drained = new Promise<boolean>((resolve) => {
        out.once('drain', () => resolve(true)).once('close', () => resolve(false));
      });
      const isTaken = await Promise.race([drained, pause(eventStreamStallMs).then(() => false)]);
      isStalled = !isTaken;
      return isTaken;
    },
    end() {
      // Nobody waits for a reader that takes nothing.
      if (isStalled) out.destroy();
      else if (!isGone) out.end();
    },
  };
}
