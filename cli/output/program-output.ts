import { makeSafeText } from '../../core/live/safe-text.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Output of programs on its way to stdout: byte for byte into a file or a pipe; on a terminal with
 * its colours and nothing else that a terminal obeys.
 */
export type OutputWriter = {
  write(bytes: Uint8Array): void;
  /** What was held back; on a terminal it ends its line. */
  end(): void;
};

export function writeOutput(terminal: Terminal): OutputWriter {
  if (!terminal.outIsTerminal) return { write: (bytes) => terminal.out(bytes), end: () => {} };
  let safe = makeSafeText();
  let decoder = new TextDecoder();
  let isOpen = false;
  const say = (text: string): void => {
    if (text === '') return;
    terminal.out(text);
    isOpen = !text.endsWith('\n');
  };
  return {
    write: (bytes) => say(safe.add(decoder.decode(bytes, { stream: true }))),
    end() {
      say(safe.add(decoder.decode()));
      const rest = safe.end();
      if (rest !== '') terminal.out(rest);
      if (isOpen) terminal.out('\n');
      isOpen = false;
      [safe, decoder] = [makeSafeText(), new TextDecoder()];
    },
  };
}

const lineEnd = 0x0a;

/** Lines whole, each under this word: several write at once. */
export function wholeLines(writer: OutputWriter, word: string): OutputWriter {
  const prefix = Buffer.from(word);
  let held: Uint8Array[] = [];
  return {
    write(bytes) {
      const last = bytes.lastIndexOf(lineEnd);
      if (last < 0) {
        if (bytes.length > 0) held.push(bytes);
        return;
      }
      const lines = Buffer.concat([...held, bytes.subarray(0, last + 1)]);
      held = last + 1 < bytes.length ? [bytes.subarray(last + 1)] : [];
      const out: Uint8Array[] = [];
      for (let at = 0; at < lines.length; ) {
        const end = lines.indexOf(lineEnd, at) + 1;
        out.push(prefix, lines.subarray(at, end));
        at = end;
      }
      writer.write(Buffer.concat(out));
    },
    end() {
      if (held.length > 0) writer.write(Buffer.concat([prefix, ...held, Buffer.of(lineEnd)]));
      held = [];
      writer.end();
    },
  };
}
