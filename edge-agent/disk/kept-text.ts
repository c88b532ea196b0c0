import { outputHeadBytesMax, outputTailBytesMax } from '../../core/model/limits.ts';
import type { PrintedOutput } from '../executors/executor.ts';
import { textHead, textTail } from './text-tail.ts';

/** What is kept of an output: all of it, or its beginning and its end in one piece. */
export type KeptText = {
  readonly bytes: Uint8Array;
  /** How many of the bytes are the beginning; 0 where nothing is left out behind it. */
  readonly head: number;
  /** How much was printed in all. */
  readonly total: number;
  /** All of it is kept, up to so much. */
  readonly wholeMb?: number;
  /** It is what was said on standard error. */
  readonly isErrors?: true;
};

export function keptErrorsOf(printed: PrintedOutput): KeptText | null {
  const kept = keptTextOf(printed);
  return kept === null ? null : { ...kept, isErrors: true };
}

/** `null`: nothing is there to be kept. */
export function keptTextOf({ output, head = null, printedBytes }: PrintedOutput): KeptText | null {
  if (output === null) return null;
  const total = Math.max(output.length, printedBytes ?? 0);
  if (output.length <= outputTailBytesMax && (total === output.length || head === null)) {
    return { bytes: output, head: 0, total };
  }
  // What is longer than is kept may have come whole, because somebody followed it.
  const begin = textHead(head ?? output, outputHeadBytesMax);
  const end = textTail(output, outputTailBytesMax - outputHeadBytesMax);
  return { bytes: Buffer.concat([begin, end]), head: begin.length, total };
}
