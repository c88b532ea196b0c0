import { type Catalogue, type Command, type Flag, globalFlags, type Noun } from '../command.ts';

/**
 * What a shell needs of the commands: words, flags and their values. Names are asked of the API
 * itself, when the user presses tab.
 */
export type CompletionEntry = {
  /** As typed: `job get`, or a shortcut. */
  readonly words: string;
  readonly about: string;
  readonly argument: Noun | null;
  readonly flags: readonly CompletionFlag[];
};

export type CompletionFlag = {
  readonly name: string;
  readonly short: string | null;
  readonly about: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  readonly noun: Noun | null;
};

export type CompletionTree = {
  readonly entries: readonly CompletionEntry[];
  /** First words with what they are about. */
  readonly firstWords: readonly (readonly [string, string])[];
};

export async function loadCompletionTree(catalogue: Catalogue): Promise<CompletionTree> {
  const { commands, nouns, shortcuts } = catalogue;
  const entries: CompletionEntry[] = [];
  for (const [name, load] of commands) {
    const { command } = await load();
    entries.push(entryOf(name, command));
    for (const [shortcut, long] of shortcuts) {
      if (long === name) entries.push(entryOf(shortcut, command));
    }
  }
  const single = entries.filter((entry) => !entry.words.includes(' '));
  const firstWords = [...single.map((entry) => [entry.words, entry.about] as const), ...nouns].sort(
    ([a], [b]) => (a < b ? -1 : 1),
  );
  return { entries, firstWords };
}

function entryOf(words: string, command: Command): CompletionEntry {
  const flags = { ...command.flags, ...globalFlags };
  return {
    words,
    about: command.about,
    argument: command.args[0]?.noun ?? null,
    flags: Object.entries(flags).map(([name, flag]) => flagOf(name, flag)),
  };
}

function flagOf(name: string, flag: Flag): CompletionFlag {
  return {
    name,
    short: flag.short ?? null,
    about: flag.about,
    takesValue: flag.kind !== 'switch' && flag.kind !== 'mode',
    choices: 'choices' in flag ? (flag.choices ?? []) : [],
    noun: 'noun' in flag ? (flag.noun ?? null) : null,
  };
}

/** How names are asked for; nothing when the API does not answer. */
export const namesOf: Readonly<Partial<Record<Noun, string>>> = {
  job: 'edgewise job list --limit 50 -o name',
  jobspec: 'edgewise jobspec list --limit 50 -o name',
  edge: 'edgewise edge list --limit 500 -o name',
  pool: 'edgewise pool list --limit 500 -o name',
  queue: 'edgewise queue list --limit 500 -o name',
  token: 'edgewise token list --limit 500 -o name',
  context: 'edgewise config list -o name',
};
