import { parseArgs } from 'node:util';
import { namedValue } from '../../core/protocol/named-values.ts';
import type { Argument, Command, Flag, Flags } from '../command.ts';
import { globalFlags } from '../command.ts';
import { type Failure, usage } from '../failure.ts';
import { suggest } from './suggestion.ts';

/**
 * Reads what follows a command's name. Strict: an unknown flag, a missing or superfluous value and
 * a wrong number of arguments are refused with the flag's name and what to write instead. A flag
 * that is given twice is refused unless it is a list.
 */
export type Parsed = {
  readonly args: readonly string[];
  readonly rest: readonly string[] | null;
  readonly flags: Readonly<
    Record<string, boolean | number | string | readonly string[] | undefined>
  >;
  readonly given: ReadonlySet<string>;
};

type Value = boolean | number | string | string[] | undefined;

export function parseArguments(command: Command, argv: readonly string[]): Parsed {
  const flags: Flags = { ...globalFlags, ...command.flags };
  const options: Record<string, { type: 'boolean' | 'string'; short?: string; multiple: true }> =
    {};
  for (const [name, flag] of Object.entries(flags)) {
    const type = flag.kind === 'switch' || flag.kind === 'mode' ? 'boolean' : 'string';
    options[name] = {
      type,
      multiple: true,
      ...(flag.short === undefined ? {} : { short: flag.short }),
    };
  }
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const values: Record<string, Value> = {};
  const given = new Set<string>();
  const args: string[] = [];
  let rest: string[] | null = null;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') rest = [];
    else if (token.kind === 'positional') (rest ?? args).push(token.value);
    else {
      const flag = namedValue(flags, token.name);
      if (flag === undefined) throw unknownFlag(command, token.rawName, flags);
      if (given.has(token.name) && flag.kind !== 'list') {
        throw usage(`${token.rawName} is given twice.`, 'Give it once.');
      }
      given.add(token.name);
      values[token.name] = readValue(token.name, flag, token.value, values[token.name]);
    }
  }
  for (const [name, flag] of Object.entries(flags)) {
    values[name] ??= flag.kind === 'switch' ? false : flag.kind === 'list' ? [] : undefined;
  }
  if (values.help !== true) checkCounts(command, args, rest);
  return { args, rest, flags: values, given };
}

function unknownFlag(command: Command, rawName: string, flags: Flags): Failure {
  const nearest = suggest(rawName.replace(/^--?/, ''), Object.keys(flags));
  return usage(
    `"edgewise ${command.name}" has no flag ${rawName}.`,
    nearest === null
      ? `See: edgewise ${command.name} --help`
      : `Did you mean --${nearest}? See: edgewise ${command.name} --help`,
  );
}

function readValue(name: string, flag: Flag, text: string | undefined, before: Value): Value {
  if (flag.kind === 'switch') {
    if (text !== undefined) throw usage(`--${name} takes no value.`, `Write --${name} alone.`);
    return true;
  }
  if (flag.kind === 'mode') {
    if (text === undefined) return '';
    checkChoice(name, text, flag.choices);
    return text;
  }
  if (text === undefined) throw usage(`--${name} needs a value.`, `Write --${name} ${flag.value}.`);
  if (text === '' && !(flag.kind === 'text' && flag.blank === true)) {
    throw usage(`The value of --${name} is empty.`, `Write --${name} ${flag.value}.`);
  }
  if (flag.kind === 'list') return [...(Array.isArray(before) ? before : []), text];
  if (flag.kind === 'text') {
    if (flag.choices !== undefined) checkChoice(name, text, flag.choices);
    return text;
  }
  return numberOf(name, flag, text);
}

function checkChoice(name: string, text: string, choices: readonly string[]): void {
  if (choices.includes(text)) return;
  const nearest = suggest(text, choices);
  const remedy = nearest === null ? '' : ` Did you mean ${nearest}?`;
  throw usage(`--${name} cannot be "${text}".`, `It is one of ${choices.join(', ')}.${remedy}`);
}

function numberOf(name: string, flag: Flag & { kind: 'number' }, text: string): number {
  const value = /^-?\d+(\.\d+)?(e\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  const kind = flag.fraction === true ? 'a number' : 'a whole number';
  if (!Number.isFinite(value) || (flag.fraction !== true && !Number.isSafeInteger(value))) {
    throw usage(`--${name} must be ${kind}, not "${text}".`, `Write --${name} ${flag.value}.`);
  }
  if (
    (flag.min !== undefined && value < flag.min) ||
    (flag.max !== undefined && value > flag.max)
  ) {
    const bounds =
      flag.max === undefined ? `${flag.min} or more` : `between ${flag.min ?? 0} and ${flag.max}`;
    throw usage(`--${name} must be ${bounds}, not ${text}.`);
  }
  return value;
}

function checkCounts(
  command: Command,
  args: readonly string[],
  rest: readonly string[] | null,
): void {
  const needed = command.args.filter((arg) => arg.optional !== true);
  const missing = needed[args.length];
  if (args.length < needed.length && missing !== undefined) {
    throw usage(
      `"edgewise ${command.name}" needs ${missing.name}.`,
      `Usage: ${usageLine(command)}`,
    );
  }
  const many = command.args.some((arg) => arg.many === true);
  const surplus = args[command.args.length];
  if (!many && surplus !== undefined) {
    const remedy =
      command.rest === undefined
        ? `Usage: ${usageLine(command)}`
        : `A program to run goes after "--": edgewise ${command.name} … -- ${surplus} …`;
    throw usage(`"${surplus}" is one argument too many.`, remedy);
  }
  const blank = args.indexOf('');
  if (blank !== -1) {
    const name = command.args[Math.min(blank, command.args.length - 1)]?.name ?? 'An argument';
    throw usage(`${name} is empty.`, `Usage: ${usageLine(command)}`);
  }
  if (rest !== null && command.rest === undefined) {
    throw usage(
      `"edgewise ${command.name}" takes nothing after "--".`,
      `Usage: ${usageLine(command)}`,
    );
  }
}

export function usageLine(command: Command): string {
  const words = ['edgewise', command.name, ...command.args.map(argumentText)];
  if (Object.keys(command.flags).length > 0) words.push('[flags]');
  if (command.rest !== undefined) words.push(`[-- ${command.rest}]`);
  return words.join(' ');
}

export function argumentText(arg: Argument): string {
  const name = arg.many === true ? `${arg.name}…` : arg.name;
  return arg.optional === true ? `[${name}]` : name;
}

/** A flag as it is typed. */
export function flagText(name: string, flag: Flag): string {
  const short = flag.short === undefined ? '' : `-${flag.short}, `;
  if (flag.kind === 'switch') return `${short}--${name}`;
  if (flag.kind === 'mode') return `${short}--${name}[=${flag.choices.join('|')}]`;
  return `${short}--${name} ${flag.value}`;
}
