import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { screenColumnsMin, screenRowsMin, unreachableMsMax } from '../limits.ts';
import type { Terminal } from '../terminal.ts';

/**
 * `--watch`: the same view again and again, in place on a terminal; elsewhere it is printed anew
 * when it changed. Ends when `render` says that nothing will change any more, or when the user
 * interrupts. A call that fails is shown and tried again, because a watch outlives a restart of the
 * API.
 */
export type View = { readonly text: string; readonly last: boolean };

const eraseRest = '\u001b[K';
const eraseBelow = '\u001b[0J';

export async function watchView(
  terminal: Terminal,
  everyMs: number,
  render: () => Promise<View>,
  rest: (ms: number) => Promise<void> = (ms) => terminal.sleep(ms),
): Promise<void> {
  let before = '';
  let rows = 0;
  let awaySinceMs: number | null = null;
  while (!terminal.interrupted.aborted) {
    let view: View;
    try {
      view = await render();
      awaySinceMs = null;
    } catch (error) {
      if (terminal.interrupted.aborted) return;
      if (!(error instanceof Failure) || error.code !== exitCode.failure) throw error;
      awaySinceMs ??= terminal.nowMs();
      if (terminal.nowMs() - awaySinceMs >= unreachableMsMax) throw error;
      view = {
        text: `${before.split('\n(')[0]?.trimEnd() ?? ''}\n(${error.message})\n`,
        last: false,
      };
    }
    if (terminal.outIsTerminal) {
      const up = rows > 0 ? `\u001b[${rows}A\r` : '';
      // What stays is whole; what is drawn over must fit, or the cursor would not find back.
      const text = view.last ? view.text : clipToWindow(view.text, terminal);
      // Line over line: a screen that is cleared first flickers, and some keep what was cleared.
      terminal.out(`${up}${text.replaceAll('\n', `${eraseRest}\n`)}${eraseBelow}`);
      rows = text.split('\n').length - 1;
    } else if (view.text !== before) {
      terminal.out(before === '' ? view.text : `\n${view.text}`);
    }
    before = view.text;
    if (view.last) return;
    await rest(everyMs);
  }
}

function clipToWindow(text: string, terminal: Terminal): string {
  const room = Math.max(screenRowsMin, terminal.rows) - 1;
  const lines = text.replace(/\n$/, '').split('\n');
  const hidden = lines.length - room;
  const shown = hidden > 0 ? lines.slice(0, room - 1) : lines;
  const more = hidden > 0 ? [`… ${hidden + 1} more lines`] : [];
  const columns = Math.max(screenColumnsMin, terminal.columns);
  return `${[...shown, ...more].map((line) => clip(line, columns)).join('\n')}\n`;
}

/** Colours take no room, and what follows a cut line has none. */
function clip(line: string, columns: number): string {
  let room = columns;
  let clipped = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape begins a colour
  for (const part of line.split(/(\u001b\[\d+m)/)) {
    if (part.startsWith('\u001b')) clipped += part;
    else {
      clipped += part.slice(0, room);
      room -= Math.min(room, part.length);
    }
  }
  return clipped;
}
