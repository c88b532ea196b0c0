import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

/**
 * `--watch`: the same view again and again, in place on a terminal; elsewhere it is printed anew
 * when it changed. Ends when `render` says that nothing will change any more, or when the user
 * interrupts. A call that fails is shown and tried again, because a watch outlives a restart of the
 * API.
 */
export type View = { readonly text: string; readonly last: boolean };

const failuresInARowMax = 10;

export async function watchView(
  terminal: Terminal,
  everyMs: number,
  render: () => Promise<View>,
): Promise<void> {
  let before = '';
  let rows = 0;
  let failures = 0;
  while (!terminal.interrupted.aborted) {
    let view: View;
    try {
      view = await render();
      failures = 0;
    } catch (error) {
      if (terminal.interrupted.aborted) return;
      if (!(error instanceof Failure) || error.code !== exitCode.failure) throw error;
      if (++failures > failuresInARowMax) throw error;
      view = {
        text: `${before.split('\n(')[0]?.trimEnd() ?? ''}\n(${error.message})\n`,
        last: false,
      };
    }
    if (terminal.outIsTerminal) {
      const up = rows > 0 ? `\u001b[${rows}A\r` : '';
      terminal.out(`${up}\u001b[0J${view.text}`);
      rows = view.text.split('\n').length - 1;
    } else if (view.text !== before) {
      terminal.out(before === '' ? view.text : `\n${view.text}`);
    }
    before = view.text;
    if (view.last) return;
    await terminal.sleep(everyMs);
  }
}
