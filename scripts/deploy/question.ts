import { createInterface } from 'node:readline/promises';
import { Stop } from '../repository.mjs';

/**
 * Asks on a terminal, and only there: where nobody can answer, what the answer would have changed
 * is not done, and the sentence says which flag is the answer.
 */
export async function confirm(question: string, answer: string, flag: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new Stop(`Nothing was changed: there is no terminal to ask on. ${flag} is the answer.`);
  }
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const said = await asking.question(`${question} `);
  asking.close();
  if (said.trim() !== answer) throw new Stop('Nothing was changed.');
}
