import { describe, expect, test } from 'vitest';
import { catalogue } from '../../cli/catalogue.ts';
import { type Flags, globalFlags } from '../../cli/command.ts';
import { run } from '../../cli/run.ts';
import { scriptedTerminal } from './scripted-terminal.ts';

const { commands, nouns, shortcuts } = catalogue;
const linesMax = 48;
const columnsMax = 100;

async function helpOf(...words: string[]) {
  const terminal = scriptedTerminal({ directory: '/' });
  const code = await run([...words, '--help'], terminal);
  return { code, text: terminal.data() };
}

describe('--help', () => {
  test.each([
    [''],
    ...[...nouns.keys()].map((noun) => [noun]),
    ...[...commands.keys()].map((name) => [name]),
  ])('of "%s" fits a screen', async (name) => {
    const { code, text } = await helpOf(...name.split(' ').filter((word) => word !== ''));
    expect(code).toBe(0);
    expect(text.split('\n').length).toBeLessThanOrEqual(linesMax);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columnsMax);
  });

  test('without a word the overview is shown, as a mistake', async () => {
    const terminal = scriptedTerminal({ directory: '/' });
    expect(await run([], terminal)).toBe(2);
    for (const word of [...nouns.keys(), ...shortcuts.keys(), 'agent', 'doctor']) {
      expect(terminal.data()).toContain(`  ${word} `);
    }
  });
});

describe('the catalogue', () => {
  test.each([...commands.keys()])('%s is the command it is filed under', async (name) => {
    const { command } = await commands.get(name)!();
    expect(command.name).toBe(name);
    expect(command.examples.length).toBeGreaterThan(0);
    for (const flag of Object.keys(command.flags)) {
      expect(Object.keys(globalFlags), `--${flag} is taken`).not.toContain(flag);
    }
    const flags: Flags = { ...command.flags, ...globalFlags };
    const shorts = Object.values(flags).flatMap((flag) => flag.short ?? []);
    expect(new Set(shorts).size, 'short flags differ').toBe(shorts.length);
    if (command.shortcut !== undefined) expect(shortcuts.get(command.shortcut)).toBe(name);
  });
});

test.each(['constructor', 'toString', '__proto__', 'valueOf'])(
  'what an object inherits is no command: %s',
  async (word) => {
    const terminal = scriptedTerminal({ directory: '/' });
    expect(await run([word], terminal)).toBe(2);
    expect(await run([word, 'x'], terminal)).toBe(2);
    expect(terminal.data()).toBe('');
    expect(terminal.talk()).toContain(`There is no command "${word}".`);
    expect(terminal.talk()).not.toContain('defect');
  },
);

test('inside a chunk, whose results have a directory of that name, it prints as ever', async () => {
  const inChunk = { EDGEWISE_OUTPUT: '/var/lib/edgewise/chunks/one/output' };
  const terminal = scriptedTerminal({ directory: '/', env: inChunk });
  expect(await run(['version'], terminal)).toBe(0);
  const wrong = scriptedTerminal({ directory: '/', env: { EDGEWISE_OUTPUT: 'picture' } });
  expect(await run(['version'], wrong)).toBe(2);
});
