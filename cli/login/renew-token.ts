import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  isOver,
  type Renewal,
  readRenewedTokens,
  renewalForm,
  renewalOf,
} from '../../core/contract/sign-in/issued-tokens.ts';
import { namedValue } from '../../core/protocol/named-values.ts';
import { contextPath, readContexts, writeContexts } from '../config/context-file.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { renewalPollMs, requestMsMax } from '../limits.ts';
import { isAlive } from '../local/process-life.ts';
import type { Terminal } from '../terminal.ts';
import { askIssuer } from './issuer.ts';

/**
 * Another token for the one of a context that has ended. Many issuers let a right to renew be used
 * once and take all of them back when it is used again, so whoever needs a new token takes turns
 * with every other process of this user, and looks first whether one of them has it by now.
 */
export function tokenRenewal(
  name: string,
  terminal: Terminal,
): (refused: string) => Promise<string> {
  let renewing: Promise<string> | null = null;
  return (refused) => {
    renewing ??= renew(name, refused, terminal).finally(() => {
      renewing = null;
    });
    return renewing;
  };
}

async function renew(name: string, refused: string, terminal: Terminal): Promise<string> {
  const release = await takeTurn(terminal);
  try {
    const kept = namedValue(readContexts(terminal).contexts, name);
    if (kept?.token && kept.token !== refused) return kept.token;
    if (!kept?.renewal) throw ended();
    const answer = await askIssuer(kept.renewal.tokenAddress, renewalForm(kept.renewal));
    const tokens = readRenewedTokens(answer, kept.renewal, refused);
    if (tokens === null) {
      if (isOver(answer)) keep(name, refused, null, terminal);
      throw ended();
    }
    keep(name, tokens.idToken, renewalOf(tokens, kept.renewal), terminal);
    return tokens.idToken;
  } finally {
    release();
  }
}

/** The file is read once more: others may have changed other contexts meanwhile. */
function keep(name: string, token: string, renewal: Renewal | null, terminal: Terminal): void {
  const file = readContexts(terminal);
  const before = namedValue(file.contexts, name);
  if (before === undefined) return;
  const contexts = { ...file.contexts, [name]: { ...before, token, renewal } };
  writeContexts(terminal, { ...file, contexts });
}

function ended(): Failure {
  return new Failure(exitCode.notAuthorised, 'The sign-in has ended.', 'Run: edgewise login');
}

/** A turn whose holder is gone, or takes longer than any request may, is taken over. */
async function takeTurn(terminal: Terminal): Promise<() => void> {
  const lock = `${contextPath(terminal)}.renewing`;
  for (let waitedMs = 0; !isTaken(lock); waitedMs += renewalPollMs) {
    const holder = holderOf(lock);
    if (holder === null) continue;
    if (waitedMs >= requestMsMax || !isAlive(holder)) rmSync(lock, { force: true });
    else await terminal.sleep(renewalPollMs);
  }
  return () => rmSync(lock, { force: true });
}

function isTaken(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // Then a new token could not be kept either, and the one before would be lost with it.
    throw new Failure(exitCode.failure, 'The token has ended, and cannot be renewed.', message);
  }
}

/** `null` when it has been let go; itself while the number is being written. */
function holderOf(lock: string): number | null {
  try {
    return Number(readFileSync(lock, 'utf8')) || process.pid;
  } catch {
    return null;
  }
}
