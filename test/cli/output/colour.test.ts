import { expect, test } from 'vitest';
import { usesColour } from '../../../cli/output/output.ts';
import { scriptedTerminal } from '../scripted-terminal.ts';

test('a pipe, a dumb terminal and NO_COLOR have no colours', () => {
  const looks = (interactive: boolean, env: Record<string, string>): boolean =>
    usesColour(scriptedTerminal({ directory: '/', interactive, env }));
  expect(looks(true, { TERM: 'xterm-256color' })).toBe(true);
  expect(looks(false, { TERM: 'xterm-256color' })).toBe(false);
  expect(looks(true, { TERM: 'dumb' })).toBe(false);
  expect(looks(true, { TERM: 'xterm', NO_COLOR: '1' })).toBe(false);
  // As https://no-color.org has it: an empty one says nothing.
  expect(looks(true, { TERM: 'xterm', NO_COLOR: '' })).toBe(true);
});
