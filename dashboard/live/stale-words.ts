import { durationWords } from '../model/words.ts';

/** How old figures are that could not be read again, and when they are asked for next. Pure. */
export function staleWords(answeredAtMs: number | null, nowMs: number): string {
  if (answeredAtMs === null) return 'Not fresh.';
  return `As it was ${durationWords(Math.max(1_000, nowMs - answeredAtMs))} ago.`;
}

export function retryWords(retryAtMs: number | null, nowMs: number): string {
  const waitMs = (retryAtMs ?? nowMs) - nowMs;
  return waitMs <= 0 ? 'Trying now …' : `Next try in ${durationWords(Math.max(1_000, waitMs))}.`;
}
