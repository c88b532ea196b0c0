import type { Api } from './client/api.ts';
import type { ExitCode } from './exit-code.ts';
import type { Output } from './output/output.ts';
import type { Settings } from './settings.ts';
import type { Terminal } from './terminal.ts';

/**
 * A command is data plus one function: its name as it is typed, what it takes, and what it does.
 * Help, completion, the reference and the parser all read the same object.
 */
export type Flag = {
  readonly about: string;
  readonly short?: string;
  /** Shown in the second half of the help, without its description. */
  readonly rare?: boolean;
} & (
  | { readonly kind: 'switch' }
  | {
      readonly kind: 'text';
      readonly value: string;
      readonly choices?: readonly string[];
      /** What the shell may complete the value with. */
      readonly noun?: Noun;
      /** An empty text means something; elsewhere it is a variable that was not set. */
      readonly blank?: true;
    }
  | { readonly kind: 'list'; readonly value: string; readonly noun?: Noun }
  | {
      readonly kind: 'number';
      readonly value: string;
      readonly min?: number;
      readonly max?: number;
      /** Whole numbers only, unless this is set. */
      readonly fraction?: boolean;
    }
  /** `--wait` or `--wait=placed`: `''` without a value. */
  | { readonly kind: 'mode'; readonly choices: readonly string[] }
);

export type Flags = Readonly<Record<string, Flag>>;

type ValueOf<F extends Flag> = F extends { kind: 'switch' }
  ? boolean
  : F extends { kind: 'number' }
    ? number | undefined
    : F extends { kind: 'list' }
      ? readonly string[]
      : string | undefined;

export type FlagValues<F extends Flags> = { readonly [K in keyof F]: ValueOf<F[K]> };

export type Noun =
  | 'job'
  | 'jobspec'
  | 'edge'
  | 'pool'
  | 'queue'
  | 'context'
  | 'token'
  | 'file'
  | 'text';

export type Argument = {
  readonly name: string;
  /** What the shell may complete it with. */
  readonly noun: Noun;
  readonly optional?: boolean;
  readonly many?: boolean;
};

export type Call<F extends Flags = Flags> = {
  readonly args: readonly string[];
  /** What follows `--`; `null` when there is none. */
  readonly rest: readonly string[] | null;
  readonly flags: FlagValues<F>;
  /** Flags that were given, as opposed to defaults. */
  readonly given: ReadonlySet<string>;
  readonly terminal: Terminal;
  /** Which API with which token, and who said so; resolved when asked for. */
  settings(): Settings;
  readonly output: Output;
  /** All commands, for those that are about commands. */
  readonly catalogue: Catalogue;
  /** The API of this call; refuses with a remedy when none is configured. */
  api(): Api;
};

export type Command<F extends Flags = Flags> = {
  /** `job get`; the first word is the noun. */
  readonly name: string;
  /** A top-level word for the same. */
  readonly shortcut?: string;
  readonly about: string;
  readonly args: readonly Argument[];
  /** What may follow `--`. */
  readonly rest?: string;
  readonly flags: F;
  readonly examples: readonly string[];
  /** Everything after the name goes to the command unread: it has a parser of its own. */
  readonly raw?: boolean;
  run(call: Call<F>): Promise<ExitCode>;
};

/** Loaded when it is used: starting takes as long as one command, not as all. */
export type LoadCommand = () => Promise<{ readonly command: Command }>;

export type Catalogue = {
  /** By name: `job get`, `status`. */
  readonly commands: ReadonlyMap<string, LoadCommand>;
  /** The names that a top-level word stands for. */
  readonly shortcuts: ReadonlyMap<string, string>;
  /** What each noun is about. */
  readonly nouns: ReadonlyMap<string, string>;
};

export function defineCommand<const F extends Flags>(command: Command<F>): Command {
  return command;
}

/** Flags that every command takes. */
export const globalFlags = {
  output: {
    kind: 'text',
    short: 'o',
    value: 'FORMAT',
    choices: ['table', 'wide', 'csv', 'json', 'yaml', 'name'],
    about: 'table, wide, json, yaml or name; lists also csv',
  },
  api: { kind: 'text', value: 'URL', about: 'address of the API' },
  token: { kind: 'text', value: 'TOKEN', about: 'token that authorises the call' },
  context: {
    kind: 'text',
    value: 'NAME',
    noun: 'context',
    about: 'context of the configuration to use',
  },
  help: { kind: 'switch', short: 'h', about: 'this text' },
} as const satisfies Flags;

/**
 * Whether a flag of the command itself was given: those that every command takes change nothing.
 */
export function givesAny(given: ReadonlySet<string>): boolean {
  return [...given].some((name) => !(name in globalFlags));
}
