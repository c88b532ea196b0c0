import { catalogue, findVerb, verbsOf } from './catalogue.ts';
import { type Api, openApi } from './client/api.ts';
import type { Call, Command, LoadCommand } from './command.ts';
import { type ExitCode, exitCode } from './exit-code.ts';
import { describeFailure, Failure, failureRecord, usage } from './failure.ts';
import { commandHelp, nounHelp, overviewHelp } from './help.ts';
import { parseArguments } from './input/arguments.ts';
import { suggest } from './input/suggestion.ts';
import { type Format, makeOutput, type Output } from './output/output.ts';
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
    const failure = error instanceof Failure ? error : defect(error, terminal);
    if (asksForJson(argv, terminal)) terminal.say(JSON.stringify(failureRecord(failure)));
    else terminal.draw(describeFailure(failure));
    return failure.code;
  }
}

function defect(error: unknown, terminal: Terminal): Failure {
  const detail = terminal.env.EDGEWISE_DEBUG ? (error as Error).stack : String(error);
  const sentence = `a defect of this program: ${detail}`;
  return new Failure(exitCode.failure, sentence, 'EDGEWISE_DEBUG=1 shows where.');
}

/** Read from the words themselves: what fails may be the reading of the flags. */
function asksForJson(argv: readonly string[], terminal: Terminal): boolean {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  const at = words.findLastIndex((word) => /^(-o|--output)/.test(word));
  if (at === -1) return terminal.env.EDGEWISE_OUTPUT === 'json';
  const word = words[at]!;
  const format = /^(-o|--output)$/.test(word)
    ? words[at + 1]
    : word.replace(/^(-o|--output)=?/, '');
  return format === 'json';
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
  const load = findVerb(first, second);
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
    output: outputOf(command, text, terminal),
    api: () => {
      api ??= openApi(accessOf(resolve(), terminal), terminal);
      return api;
    },
  };
  return command.run(call);
}

type ReadFlag = (name: string) => string | undefined;

/** Lines and columns are of lists; a value of the API is shown whole, in its own order. */
function outputOf(command: Command, flag: ReadFlag, terminal: Terminal): Output {
  const format = chooseFormat(flag('output'), terminal);
  const shape = { sort: flag('sort'), columns: flag('columns') };
  const isList = 'columns' in command.flags;
  if (format === 'csv' && !isList) {
    if (flag('output') === undefined) return makeOutput('table', terminal, shape);
    throw usage(
      `"edgewise ${command.name}" is no list.`,
      'Use -o table, wide, json, yaml or name.',
    );
  }
  const isWhole = format === 'json' || format === 'yaml';
  if (isList && isWhole && (shape.sort ?? shape.columns) !== undefined) {
    const given = shape.sort === undefined ? 'columns' : 'sort';
    throw usage(`--${given} is for tables, not for -o ${format}.`, 'Use -o table, wide or csv.');
  }
  return makeOutput(format, terminal, isList ? shape : { sort: undefined, columns: undefined });
}

const formats = ['table', 'wide', 'csv', 'json', 'yaml', 'name'];

function chooseFormat(flag: string | undefined, terminal: Terminal): Format {
  const setting = terminal.env.EDGEWISE_OUTPUT ?? '';
  // Inside a chunk the variable names the directory of its results.
  const text = flag ?? (setting.startsWith('/') ? 'table' : setting || 'table');
  if (!formats.includes(text)) {
    throw usage(`EDGEWISE_OUTPUT cannot be "${text}".`, `It is one of ${formats.join(', ')}.`);
  }
  return text as Format;
}
