import { secondsOf } from './duration.ts';
import type { Attributes } from './jobspec-schema.ts';
import type { Mistakes } from './mistakes.ts';

/**
 * Attributes come from the document, the resources, the groups and the task, and the innermost
 * wins; environments are merged name by name. Nothing may take longer than what it is a part of.
 */
export type Inherited = {
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string | null;
  readonly watch: boolean;
  readonly durationSeconds: number | null;
};

export type Level = {
  readonly attributes: Attributes | undefined;
  /** What is said of it when its duration is too long, for example `task "a"`. */
  readonly name: string;
  readonly pointer: string;
};

/** Levels from the outside in. */
export function inherited(levels: readonly Level[], mistakes: Mistakes): Inherited {
  const environment = new Map<string, string>();
  let cwd: string | null = null;
  let watch = false;
  let longest: { readonly seconds: number; readonly level: Level } | null = null;
  for (const level of levels) {
    const { attributes } = level;
    for (const [name, value] of Object.entries(attributes?.environment ?? {})) {
      environment.set(name, String(value));
    }
    cwd = attributes?.cwd ?? cwd;
    watch = attributes?.watch ?? watch;
    const seconds = secondsOf(attributes?.duration);
    if (seconds === null) continue;
    if (longest !== null && seconds > longest.seconds) {
      const parent = `${longest.level.name}, which has ${longest.seconds} s`;
      const message = `${level.name} may take ${seconds} s, longer than ${parent}.`;
      mistakes.add(`${level.pointer}/attributes/duration`, message);
    } else longest = { seconds, level };
  }
  const durationSeconds = longest?.seconds ?? null;
  return { environment: Object.fromEntries(environment), cwd, watch, durationSeconds };
}
