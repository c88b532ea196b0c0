import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Renewal, readRenewal } from '../../core/contract/sign-in/issued-tokens.ts';
import { newTable } from '../../core/protocol/named-values.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Named places to connect to, and which of them is meant when nothing is said. It holds tokens, so
 * only its owner may read it.
 */
export type Context = {
  readonly api: string;
  readonly token: string | null;
  /** How a token that somebody signed in for is had anew. */
  readonly renewal?: Renewal | null;
};

export type ContextFile = {
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, Context>>;
};

export function contextPath(terminal: Terminal): string {
  const { env } = terminal;
  if (env.EDGEWISE_CONFIG) return env.EDGEWISE_CONFIG;
  return join(env.XDG_CONFIG_HOME || join(terminal.home, '.config'), 'edgewise', 'config.json');
}

export function readContexts(terminal: Terminal): ContextFile {
  const path = contextPath(terminal);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: null, contexts: {} };
    throw new Failure(
      exitCode.failure,
      `${path} cannot be read.`,
      String((error as Error).message),
    );
  }
  const parsed = parseContexts(text);
  if (parsed === null) {
    throw new Failure(
      exitCode.usage,
      `${path} is not a configuration.`,
      'Mend or remove the file.',
    );
  }
  return parsed;
}

function parseContexts(text: string): ContextFile | null {
  let value: { current?: unknown; contexts?: unknown };
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const contexts = newTable<Context>();
  for (const [name, raw] of Object.entries(value.contexts ?? {})) {
    const { api, token, renewal } = raw as Readonly<Record<string, unknown>>;
    if (typeof api !== 'string') return null;
    const kept = readRenewal(renewal);
    contexts[name] = {
      api,
      token: typeof token === 'string' ? token : null,
      ...(kept === null ? {} : { renewal: kept }),
    };
  }
  return { current: typeof value.current === 'string' ? value.current : null, contexts };
}

/** Written beside and renamed, so that a reader never sees half of it. */
export function writeContexts(terminal: Terminal, file: ContextFile): void {
  const path = contextPath(terminal);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.new`;
  writeFileSync(beside, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  renameSync(beside, path);
}
