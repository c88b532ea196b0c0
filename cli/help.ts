import { catalogue, verbsOf } from './catalogue.ts';
import { type Command, type Flag, globalFlags } from './command.ts';
import { flagText, usageLine } from './input/arguments.ts';

/** The texts of `--help`, made from the commands themselves. Each fits a screen. */
const width = 96;

const { commands, nouns, shortcuts } = catalogue;

export async function overviewHelp(): Promise<string> {
  const about = async (name: string): Promise<string> =>
    (await commands.get(name)!()).command.about;
  const daily = ['submit', 'status', 'logs', 'watch', 'explain', 'files', 'pull'];
  const tools = [
    'agent',
    'fleet',
    'request',
    'up',
    'down',
    'audit',
    'login',
    'completion',
    'doctor',
    'version',
  ];
  const rows = async (names: readonly string[]): Promise<string> =>
    (
      await Promise.all(
        names.map(
          async (name) => `  ${name.padEnd(11)} ${await about(shortcuts.get(name) ?? name)}\n`,
        ),
      )
    ).join('');
  return [
    'Edgewise schedules work over fleets of edges.\n\n',
    'Usage: edgewise <noun> <verb> [flags]     edgewise <command> --help\n\n',
    'Every day\n',
    await rows(daily),
    '\nNouns\n',
    ...[...nouns.keys()].map((noun) => {
      return `  ${noun.padEnd(11)} ${wrap(verbsOf(noun), 14, ' ').trimStart()}`;
    }),
    '\nTools\n',
    await rows(tools),
    '\nEvery command: -o table|wide|json|yaml|name, --api URL, --token T, --context NAME, --help\n',
    'Start:         edgewise submit --power 403 --wait\n',
  ].join('');
}

export async function nounHelp(noun: string): Promise<string> {
  const rows = await Promise.all(
    verbsOf(noun).map(async (verb) => {
      const { command } = await commands.get(`${noun} ${verb}`)!();
      return `  ${verb.padEnd(11)} ${command.about}\n`;
    }),
  );
  const title = `edgewise ${noun}: ${nouns.get(noun)}`;
  return `${title}\n\nUsage: edgewise ${noun} <verb> [flags]\n\n${rows.join('')}`;
}

export function commandHelp(command: Command): string {
  const shortcut = command.shortcut === undefined ? '' : ` (also: edgewise ${command.shortcut})`;
  const flags = Object.entries(command.flags);
  const often = flags.filter(([, flag]) => flag.rare !== true);
  const rare = flags.filter(([, flag]) => flag.rare === true);
  const parts = [`${sentence(command.about)}\n\nUsage: ${usageLine(command)}${shortcut}\n`];
  if (often.length > 0) parts.push('\nFlags\n', ...often.map(flagRow));
  if (rare.length > 0)
    parts.push(
      '\nAlso\n',
      wrap(
        rare.map(([name, flag]) => flagText(name, flag)),
        2,
      ),
    );
  const common = Object.entries(globalFlags).map(([name, flag]) => flagText(name, flag));
  parts.push('\nEverywhere\n', wrap(common, 2));
  if (command.examples.length > 0) {
    parts.push('\nExamples\n', ...command.examples.map((example) => `  ${example}\n`));
  }
  return parts.join('');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function flagRow([name, flag]: readonly [string, Flag]): string {
  const text = `  ${flagText(name, flag)}`;
  const about = wrap(flag.about.split(' '), 28, ' ').trimStart();
  return text.length > 26 ? `${text}\n${' '.repeat(28)}${about}` : `${text.padEnd(28)}${about}`;
}

/** Words in lines no longer than the screen, indented. */
function wrap(words: readonly string[], indent: number, between = '   '): string {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && indent + line.length + between.length + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line}${between}${word}`;
  }
  lines.push(line);
  return lines.map((text) => `${' '.repeat(indent)}${text}\n`).join('');
}
