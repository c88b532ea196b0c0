import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

export const yesFlag = {
  yes: { kind: 'switch', short: 'y', about: 'do not ask' },
} as const;

export function mayAsk(terminal: Terminal): boolean {
  return terminal.inIsTerminal && terminal.errIsTerminal;
}

/**
 * Asks before something that cannot be undone. A script has nobody to ask: what it says, it means.
 */
export async function confirm(terminal: Terminal, yes: boolean, question: string): Promise<void> {
  if (yes || !mayAsk(terminal)) return;
  const answer = await terminal.ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure(exitCode.failure, 'Nothing was changed.');
}
