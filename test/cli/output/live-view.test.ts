import { expect, test } from 'vitest';
import { exitCode } from '../../../cli/exit-code.ts';
import { Failure } from '../../../cli/failure.ts';
import { unreachableMsMax } from '../../../cli/limits.ts';
import { type View, watchView } from '../../../cli/output/live-view.ts';
import { formatBar, progressBar } from '../../../cli/output/progress-bar.ts';
import { scriptedTerminal } from '../scripted-terminal.ts';

const views = (...texts: string[]): (() => Promise<View>) => {
  let n = 0;
  return async () => {
    const text = texts[Math.min(n, texts.length - 1)]!;
    n += 1;
    return { text: `${text}\n`, last: n >= texts.length };
  };
};

test('on a terminal it is drawn in place, over as many lines as were drawn before', async () => {
  const terminal = scriptedTerminal({ directory: '/', interactive: true });
  await watchView(terminal, 1_000, views('a\nb', 'c'));
  expect(terminal.data()).toBe('a\u001b[K\nb\u001b[K\n\u001b[0J\u001b[2A\rc\u001b[K\n\u001b[0J');
});

test('what is drawn over fits the window, and what stays is whole', async () => {
  const terminal = scriptedTerminal({ directory: '/', interactive: true, columns: 20, rows: 4 });
  const long = `\u001b[32m${'x'.repeat(25)}\u001b[0m y`;
  await watchView(terminal, 1_000, views(`${long}\nb\nc\nd`, `${long}\nb\nc\nd`));
  const shown = terminal.data().replaceAll('\u001b[K', '').replaceAll('\u001b[0J', '');
  const [first = '', second = ''] = shown.split('\u001b[3A\r');
  expect(first).toBe(`\u001b[32m${'x'.repeat(20)}\u001b[0m\nb\n… 2 more lines\n`);
  expect(second).toBe(`${long}\nb\nc\nd\n`);
});

test('elsewhere it is printed again only when it has changed', async () => {
  const terminal = scriptedTerminal({ directory: '/' });
  await watchView(terminal, 1_000, views('a', 'a', 'b'));
  expect(terminal.data()).toBe('a\n\nb\n');
});

test('it ends when the user interrupts', async () => {
  const terminal = scriptedTerminal({ directory: '/', interruptAfterMs: 3_000 });
  let drawn = 0;
  await watchView(terminal, 1_000, async () => ({ text: `${++drawn}\n`, last: false }));
  expect(drawn).toBe(3);
});

test('it outlives an API that is away for a moment, and not one that refuses', async () => {
  const terminal = scriptedTerminal({ directory: '/' });
  let n = 0;
  await watchView(terminal, 1_000, async () => {
    n += 1;
    if (n === 2) throw new Failure(exitCode.failure, 'Nothing listens.');
    return { text: 'view\n', last: n === 3 };
  });
  expect(terminal.data()).toContain('(Nothing listens.)');
  const refusing = async (): Promise<View> => {
    throw new Failure(exitCode.notAuthorised, 'No.');
  };
  await expect(watchView(terminal, 1_000, refusing)).rejects.toThrow('No.');
});

test('it gives up on an API that stays away', async () => {
  const terminal = scriptedTerminal({ directory: '/' });
  const startMs = terminal.nowMs();
  const away = async (): Promise<View> => {
    throw new Failure(exitCode.failure, 'Nothing listens.');
  };
  await expect(watchView(terminal, 1_000, away)).rejects.toThrow('Nothing listens.');
  expect(terminal.nowMs() - startMs).toBe(unreachableMsMax);
});

test('a progress bar is drawn on terminals only, and leaves nothing behind', () => {
  const shown = scriptedTerminal({ directory: '/', interactive: true });
  const bar = progressBar(shown);
  bar.draw(50, 'running');
  bar.clear();
  expect(shown.talk()).toContain('[############............]  50 %  running');
  expect(shown.talk().endsWith('\r\u001b[2K')).toBe(true);
  const hidden = scriptedTerminal({ directory: '/' });
  progressBar(hidden).draw(50, 'running');
  expect(hidden.written()).toBe('');
});

test.each([
  [0, '[....]'],
  [24, '[....]'],
  [50, '[##..]'],
  [99, '[###.]'],
  [100, '[####]'],
])('%d %% is %s', (percent, bar) => expect(formatBar(percent, 4)).toBe(bar));
