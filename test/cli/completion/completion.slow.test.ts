import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../../cli/catalogue.ts';
import { run } from '../../../cli/run.ts';
import { scriptedTerminal } from '../scripted-terminal.ts';

/**
 * The scripts are loaded by the real shells; one that is not on this machine is skipped by name.
 * A program that has the name of a shell and is none counts for nothing.
 */
let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-completion-'));
  // A client whose answer is known, in place of one that needs an API.
  writeFileSync(join(directory, 'edgewise'), '#!/bin/sh\necho edge-10\necho edge-11\n', {
    mode: 0o755,
  });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function scriptOf(shell: string): Promise<string> {
  const terminal = scriptedTerminal({ directory: '/' });
  expect(await run(['completion', shell], terminal)).toBe(0);
  const path = join(directory, `completion.${shell}`);
  writeFileSync(path, terminal.data());
  return path;
}

const shells = new Map(['bash', 'zsh', 'fish'].map((name) => [name, findShell(name)]));
const hasShell = (shell: string): boolean => shells.get(shell) !== null;

function findShell(name: string): string | null {
  const question = `echo "<$${name.toUpperCase()}_VERSION>"`;
  const isOne = (file: string): boolean => {
    const { stdout } = spawnSync(file, ['-c', question], { encoding: 'utf8', env: {} });
    return /^<\d[^>]*>$/.test(stdout?.trim() ?? '');
  };
  const directories = (process.env.PATH ?? '').split(delimiter);
  return directories.map((path) => join(path, name)).find(isOne) ?? null;
}

function runShell(shell: string, args: readonly string[], script: string): string {
  const result = spawnSync(shells.get(shell)!, [...args, '-c', script], {
    encoding: 'utf8',
    env: { PATH: `${directory}:${process.env.PATH}`, HOME: directory, TERM: 'dumb' },
  });
  expect(result.stderr).toBe('');
  expect(result.status).toBe(0);
  return result.stdout;
}

describe.skipIf(!hasShell('bash'))('bash', () => {
  async function complete(...words: string[]): Promise<string[]> {
    const path = await scriptOf('bash');
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const script = `set -u; source '${path}'
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}
${words[0] === 'npx' ? '_edgewise_npx' : '_edgewise'} ${words[0]}
printf '%s\\n' "\${COMPREPLY[@]:-}"`;
    return runShell('bash', ['--norc'], script)
      .split('\n')
      .filter((line) => line !== '');
  }

  test('offers first words and verbs', async () => {
    expect(await complete('edgewise', 'su')).toEqual(['submit']);
    expect(await complete('edgewise', 'job', 're')).toEqual(['retry']);
    const all = await complete('edgewise', '');
    for (const noun of catalogue.nouns.keys()) expect(all).toContain(noun);
  });

  test('offers flags and their values', async () => {
    expect(await complete('edgewise', 'submit', '--pow')).toEqual(['--power']);
    expect(await complete('edgewise', 'job', 'list', '--state', 'run')).toEqual(['running']);
    expect(await complete('edgewise', 'job', 'list', '-o', 'j')).toEqual(['json']);
    // Bash takes "=" for a word of its own.
    expect(await complete('edgewise', 'job', 'list', '--state', '=', 'run')).toEqual(['running']);
    expect(await complete('edgewise', 'job', 'list', '--state', '=')).toContain('done');
  });

  test('asks for names', async () => {
    expect(await complete('edgewise', 'edge', 'get', 'edge-1')).toEqual(['edge-10', 'edge-11']);
    expect(await complete('edgewise', 'job', 'get', 'la')).toEqual(['last']);
    expect(await complete('edgewise', 'submit', '--edge', 'edge-1')).toEqual([
      'edge-10',
      'edge-11',
    ]);
  });
});

describe.skipIf(!hasShell('bash'))('npx in bash', () => {
  const script = `complete -p npx | sed 's/.*-F //'`;

  test('is completed as the client, by the client', async () => {
    const path = await scriptOf('bash');
    writeFileSync(join(directory, 'npx'), '#!/bin/sh\necho "$1-$2-$3"\n', { mode: 0o755 });
    const words = `COMP_WORDS=(npx edgewise edge get ''); COMP_CWORD=4; _edgewise_npx npx`;
    const shown = `printf '%s\\n' "\${COMPREPLY[@]:-}"`;
    const out = runShell('bash', ['--norc'], `set -u; source '${path}'; ${words}; ${shown}`);
    expect(out.trim()).toBe('edgewise-edge-list');
    const other = `COMP_WORDS=(npx cowsay ''); COMP_CWORD=2; _edgewise_npx npx`;
    expect(runShell('bash', ['--norc'], `source '${path}'; ${other}; ${shown}`).trim()).toBe('');
  });

  test('keeps a completion that it has already', async () => {
    const path = await scriptOf('bash');
    const before = 'complete -F _mine npx';
    expect(runShell('bash', ['--norc'], `${before}; source '${path}'; ${script}`)).toBe(
      '_mine npx\n',
    );
    expect(runShell('bash', ['--norc'], `source '${path}'; ${script}`)).toBe('_edgewise_npx npx\n');
  });
});

describe.skipIf(!hasShell('zsh'))('zsh', () => {
  test('loads and registers', async () => {
    const path = await scriptOf('zsh');
    const load = `autoload -Uz compinit; compinit -u -D; source '${path}'`;
    const script = `${load}; print $_comps[edgewise]`;
    expect(runShell('zsh', ['-f'], script).trim()).toBe('_edgewise');
    const npx = `${load}; print $_comps[npx]`;
    expect(runShell('zsh', ['-f'], npx).trim()).toBe('_edgewise_npx');
  });
});

describe.skipIf(!hasShell('fish'))('fish', () => {
  test('loads and completes', async () => {
    const path = await scriptOf('fish');
    const out = runShell('fish', ['--no-config'], `source '${path}'; complete -C 'edgewise sub'`);
    expect(out).toContain('submit');
    const npx = `source '${path}'; complete -C 'npx edgewise sub'`;
    expect(runShell('fish', ['--no-config'], npx)).toContain('submit');
  });
});

describe('PowerShell', () => {
  const keysOf = (script: string, table: string): string[] => {
    const body = new RegExp(`\\$edgewise${table} = @\\{\\n([\\s\\S]*?)\\n?\\}\\n`).exec(
      script,
    )![1]!;
    return body.split('\n').map((line) => {
      const entry = /^ {2}'((?:[^']|'')*)' = (?:'(?:[^']|'')*'|@\([^()]*\))$/.exec(line);
      expect(entry, line).not.toBeNull();
      return entry![1]!;
    });
  };

  test('its tables have every command, and no key twice in whatever case', async () => {
    const script = readFileSync(await scriptOf('powershell'), 'utf8');
    for (const table of ['Words', 'Verbs', 'Flags', 'Values', 'Names']) {
      const keys = keysOf(script, table).map((key) => key.toLowerCase());
      expect(new Set(keys).size, table).toBe(keys.length);
    }
    expect(keysOf(script, 'Flags')).toEqual(expect.arrayContaining([...catalogue.commands.keys()]));
    expect(keysOf(script, 'Names')).toContain('edge get');
    expect(keysOf(script, 'Values')).toContain('job list --state');
  });
});

test('every command is in every script', async () => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    const terminal = scriptedTerminal({ directory: '/' });
    await run(['completion', shell], terminal);
    for (const name of catalogue.commands.keys()) {
      for (const word of name.split(' ')) expect(terminal.data()).toContain(word);
    }
  }
});
