import { execFileSync, type StdioOptions } from 'node:child_process';
import { chmodSync } from 'node:fs';
import type { ExecutorName } from '../../core/model/job.ts';
import { findProgram } from './host-inspection.ts';
import type { Log } from './log-lines.ts';

/**
 * Whether chunks run as another user than their agent, so that they cannot read its identity, its
 * memory and its environment, nor end it. Switching is done by `setpriv` of util-linux, which also
 * takes every capability away and the way to gain one again; it is tried once at the start, so
 * that it is known and not hoped for.
 */
export type Isolation =
  | { readonly kind: 'none'; readonly reason: string }
  | {
      readonly kind: 'user';
      readonly user: string;
      readonly uid: number;
      readonly gid: number;
      /** What comes before the words of a program that shall run as that user. */
      readonly wrapper: readonly string[];
    };

/** The user that the package makes, taken when nobody names another. */
export const chunkUserDefault = 'edgewise-chunk';
/** Instead of a user: chunks shall run as the agent. */
export const chunkUserNone = 'none';

/** The named user cannot be had: no agent starts more open than its owner wants. */
export class IsolationError extends Error {}

export function findIsolation(
  asked: string | null,
  path: string,
  place: { readonly shared: string; readonly chunks: string },
): Isolation {
  if (asked === chunkUserNone) return { kind: 'none', reason: 'its owner wants it so' };
  const user = asked ?? chunkUserDefault;
  const became = tryUser(user, path);
  const found = became.kind === 'none' ? became : letIn(became, place);
  if (found.kind === 'none' && asked !== null) {
    throw new IsolationError(
      `Chunks cannot run as ${user}: ${found.reason}. ` +
        `Start the agent as the package does, or say --chunk-user ${chunkUserNone}.`,
    );
  }
  return found;
}

function tryUser(user: string, path: string): Isolation {
  const none = (reason: string): Isolation => ({ kind: 'none', reason });
  const [uid, gid] = [idOf('-u', user), idOf('-g', user)];
  if (uid === null || gid === null) return none(`there is no user ${user}`);
  if (uid === 0) return none(`${user} may do everything`);
  if (uid === process.getuid?.()) return none(`${user} is the agent's own user`);
  const setpriv = findProgram('setpriv', path);
  if (setpriv === null) return none('setpriv of util-linux is not on this host');
  const wrapper = [
    setpriv,
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=-all',
    '--ambient-caps=-all',
    '--bounding-set=-all',
    '--no-new-privs',
    '--',
  ];
  const became = run([...wrapper, 'id', '-u']);
  if (became !== String(uid)) return none(`this agent may not become ${user}`);
  return { kind: 'user', user, uid, gid, wrapper };
}

/** Chunks pass through the agent's directory to theirs; nothing in it can be listed or read. */
function letIn(
  isolation: Isolation & { kind: 'user' },
  { shared, chunks }: { readonly shared: string; readonly chunks: string },
): Isolation {
  for (const directory of [shared, chunks]) chmodSync(directory, 0o711);
  const enter = [...isolation.wrapper, 'sh', '-c', 'cd "$0" && echo yes', chunks];
  if (run(enter) === 'yes') return isolation;
  const reason = `${isolation.user} may not pass to ${chunks}; --work-dir names another place`;
  return { kind: 'none', reason };
}

/** What an edge says of itself, for jobs that require it. */
export type IsolationFact = 'none' | 'user' | 'container';

/** Executors whose chunks run with what the agent's user may do, when there is no other. */
const openExecutors = ['process', 'slurm', 'flux'] as const;

export function isolationFact({ kind }: Isolation, { executors }: HostExecutors): IsolationFact {
  if (kind === 'user') return 'user';
  const isOpen = openExecutors.some((name) => executors.has(name));
  return !isOpen && executors.has('container') ? 'container' : 'none';
}

/** One line at the start, where chunks can reach what their agent can. */
export function sayIsolation(
  isolation: Isolation,
  host: HostExecutors,
  log: Log,
  isQuiet: boolean,
): void {
  if (isQuiet || isolation.kind === 'user') return;
  const open = openExecutors.filter((name) => host.executors.has(name));
  if (open.length === 0) return;
  log(
    `Chunks run as the agent's own user and can read what it can: ${isolation.reason}.`,
    'warning',
  );
}

type HostExecutors = { readonly executors: ReadonlyMap<ExecutorName, string> };

function idOf(which: '-u' | '-g', user: string): number | null {
  const text = run(['id', which, '--', user]);
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

function run([file, ...args]: readonly string[]): string | null {
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return execFileSync(file!, args, { encoding: 'utf8', stdio }).trim();
  } catch {
    return null;
  }
}
