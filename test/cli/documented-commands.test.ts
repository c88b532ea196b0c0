import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue, verbsOf } from '../../cli/catalogue.ts';
import { parseArguments } from '../../cli/input/arguments.ts';
import { parseAgentOptions } from '../../edge-agent/program/agent-options.ts';

/**
 * Every command that a page shows is one that the client understands: its words, its flags, its
 * values.
 */
const { commands, nouns, shortcuts } = catalogue;
const root = join(import.meta.dirname, '../..');
const inFolder = (folder: string) =>
  readdirSync(join(root, folder)).map((name) => join(folder, name));
const pages = ['README.md', ...inFolder('docs'), ...inFolder('docs/guides')]
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const shown = pages.flatMap(({ path, text }) => commandsOf(text).map((line) => ({ path, line })));

function commandsOf(text: string): string[] {
  const blocks = [...text.matchAll(/^```sh\b[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, block]) =>
    block!.replaceAll('\\\n', ' ').split('\n'),
  );
  const inline = [...text.matchAll(/`((?:npx )?edgewise [^`]+)`/g)].map(([, code]) => code!);
  return [...blocks, ...inline].flatMap((line) =>
    line.split(/ \|\|? | && |; /).flatMap((part) => {
      const found = /(?:^|[( ])(?:npx )?edgewise (.*)$/.exec(part.replace(/\s+#.*$/, ''));
      const given = part.includes('xargs') ? ' name' : '';
      return found === null ? [] : [found[1]!.replace(/\)$/, '') + given];
    }),
  );
}

function wordsOf(line: string): string[] {
  const words = line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.map((word) => (/^['"]/.test(word) ? word.slice(1, -1) : word));
}

async function understand(line: string): Promise<void> {
  const words = wordsOf(line.replace(/ (?:2?>|&).*$/, ''));
  const [first = '', second = ''] = words;
  if (first === '--help' || first.startsWith('<')) return;
  if (nouns.has(first) && (second === '' || second.startsWith('…'))) return;
  if (nouns.has(first)) expect(verbsOf(first), line).toContain(second);
  const name = shortcuts.get(first) ?? (commands.has(first) ? first : `${first} ${second}`);
  const load = commands.get(name);
  expect(load, `edgewise ${line}`).toBeDefined();
  const { command } = await load!();
  // A variable of the shell may be anything that the flag takes: a number is.
  const given = words.map((word) => (/^\$\w+$/.test(word) ? '4666' : word));
  const rest = given.slice(name === `${first} ${second}` ? 2 : 1);
  if (rest.length === 0 || rest.some((word) => word.includes('…'))) return;
  if (command.raw !== true) parseArguments(command, rest);
  else if (!['doctor', 'update'].includes(rest[0]!)) {
    parseAgentOptions(rest, { EDGEWISE_API: 'http://api' });
  }
}

test.each(shown)('$path: edgewise $line', ({ line }) => understand(line));

test('the pages show commands', () => expect(shown.length).toBeGreaterThan(60));
