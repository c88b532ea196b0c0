import { catalogue, verbsOf } from './catalogue.ts';
import { type Api, openApi } from './client/api.ts';
import type { Call, Command, LoadCommand } from './command.ts';
import { type ExitCode, exitCode } from './exit-code.ts';
import { describeFailure, Failure, usage } from './failure.ts';
import { commandHelp, nounHelp, overviewHelp } from './help.ts';
import { parseArguments } from './input/arguments.ts';
import { suggest } from './input/suggestion.ts';
import { type Format, makeOutput } from './output/output.ts';
import { accessOf, resolveSettings, type Settings } from './settings.ts';
import type { Terminal } from './terminal.ts';

const { commands, nouns, shortcuts } = catalogue;

/**
 * One invocation, from words to exit code. Never throws: what a user did or met is a sentence, a
 * defect is named as one.
 */
export async function run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    return await dispatch(argv, terminal);
  } catch (error) {
    if (error instanceof Failure) {
      terminal.draw(describeFailure(error));
      return error.code;
    }
    const detail = terminal.env.EDGEWISE_DEBUG ? (error as Error).stack : String(error);
    terminal.say(`edgewise: a defect of this program: ${detail}`);
    terminal.say('  EDGEWISE_DEBUG=1 shows where.');
    return exitCode.failure;
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [first, second] = argv;
  if (first === undefined || first === '--help' || first === '-h') {
    terminal.out(await overviewHelp());
    return first === undefined ? exitCode.usage : exitCode.ok;
  }
  if (first === 'help') return dispatch([...argv.slice(1), '--help'], terminal);
  if (first === '--version') return dispatch(['version'], terminal);
  if (nouns.has(first) && (second === undefined || second === '--help' || second === '-h')) {
    terminal.out(await nounHelp(first));
    return second === undefined ? exitCode.usage : exitCode.ok;
  }
  const { load, words } = findCommand(argv);
  const { command } = await load();
  return runCommand(command, argv.slice(words), terminal);
}

type Found = { readonly load: LoadCommand; readonly words: number };

function findCommand(argv: readonly string[]): Found {
  const [first = '', second = ''] = argv;
  const single = commands.get(shortcuts.get(first) ?? first);
  if (single !== undefined) return { load: single, words: 1 };
  const load = commands.get(`${first} ${second}`);
  if (load !== undefined) return { load, words: 2 };
  if (nouns.has(first)) {
    const nearest = suggest(second, verbsOf(first));
    throw usage(
      `"edgewise ${first}" has no verb "${second}".`,
      nearest === null
        ? `It has: ${verbsOf(first).join(', ')}`
        : `Did you mean: edgewise ${first} ${nearest}`,
    );
  }
  const known = [...nouns.keys(), ...shortcuts.keys(), ...commands.keys()];
  const nearest = suggest(
    first,
    known.filter((word) => !word.includes(' ')),
  );
  const remedy = nearest === null ? 'See: edgewise --help' : `Did you mean: edgewise ${nearest}`;
  throw usage(`There is no command "${first}".`, remedy);
}

async function runCommand(
  command: Command,
  argv: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const parsed = command.raw
    ? { args: argv, rest: null, flags: { help: false }, given: new Set<string>() }
    : parseArguments(command, argv);
  if (parsed.flags.help === true) {
    terminal.out(commandHelp(command));
    return exitCode.ok;
  }
  const text = (name: string): string | undefined => {
    const value = (parsed.flags as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : undefined;
  };
  let settings: Settings | null = null;
  let api: Api | null = null;
  const resolve = (): Settings => {
    const given = { api: text('api'), token: text('token'), context: text('context') };
    settings ??= resolveSettings(given, terminal);
    return settings;
  };
  const call: Call = {
    ...parsed,
    terminal,
    catalogue,
    settings: resolve,
    output: makeOutput(chooseFormat(text('output'), terminal), terminal),
    api: () => {
      api ??= openApi(accessOf(resolve()), terminal);
      return api;
    },
  };
  return command.run(call);
}

const formats = ['table', 'wide', 'json', 'yaml', 'name'];

function chooseFormat(flag: string | undefined, terminal: Terminal): Format {
  const text = flag ?? (terminal.env.EDGEWISE_OUTPUT || 'table');
  if (!formats.includes(text)) {
    throw usage(`EDGEWISE_OUTPUT cannot be "${text}".`, `It is one of ${formats.join(', ')}.`);
  }
  return text as Format;
}
