import type { Page } from '../../core/contract/resources.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { watchView } from './live-view.ts';
import type { Output } from './output.ts';
import type { Table } from './table.ts';
import { readEveryMs } from './watch-flags.ts';

/** A list as it is asked for: once, or live until Ctrl-C. */
export type LiveList<T> = {
  readonly load: () => Promise<Page<T>>;
  readonly table: (nowMs: number) => Table<T>;
  readonly flags: { readonly watch: boolean; readonly every: string | undefined };
};

export async function showLiveList<T>(
  { load, table, flags }: LiveList<T>,
  output: Output,
  terminal: Terminal,
): Promise<ExitCode> {
  if (flags.watch) {
    await watchView(terminal, readEveryMs(flags, output), async () => ({
      text: output.lines((await load()).items, table(terminal.nowMs())),
      last: false,
    }));
    return exitCode.ok;
  }
  const page = await load();
  output.list(page, page.items, table(terminal.nowMs()));
  return exitCode.ok;
}
