import { usage } from '../failure.ts';

/**
 * `key=value` words of a flag as an object; `null` for a value that is left out on purpose is not
 * possible here.
 */
export function parsePairs(words: readonly string[], flag: string): Record<string, string> {
  const pairs = new Map<string, string>();
  for (const word of words) {
    const equals = word.indexOf('=');
    if (equals < 1)
      throw usage(`--${flag} ${word} is not key=value.`, `Write --${flag} key=value.`);
    pairs.set(word.slice(0, equals), word.slice(equals + 1));
  }
  return Object.fromEntries(pairs);
}

/** `name=number` words: amounts of resources. */
export function parseAmounts(words: readonly string[], flag: string): Record<string, number> {
  const amounts = new Map<string, number>();
  for (const [name, text] of Object.entries(parsePairs(words, flag))) {
    const value = Number(text);
    if (text === '' || !Number.isFinite(value) || value < 0) {
      throw usage(`--${flag} ${name}=${text} is not an amount.`, `Write --${flag} ${name}=4.`);
    }
    amounts.set(name, value);
  }
  return Object.fromEntries(amounts);
}

/** A selector is sent as it is, so only its form is checked here. */
export function checkSelector(word: string | undefined, flag: string): string | undefined {
  if (word !== undefined) parsePairs([word], flag);
  return word;
}
