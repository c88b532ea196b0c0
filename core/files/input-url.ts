import { inputUrlLengthMax } from './limits.ts';

/** Where an edge fetches an input itself. Read on both sides: by the API and by the edge. */

/** What is wrong with it; `null`: nothing. */
export function inputUrlProblem(text: string): string | null {
  if (text.length > inputUrlLengthMax) return `is longer than ${inputUrlLengthMax} characters`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return 'does not begin with https:// or http://';
  }
  return url.username === '' && url.password === '' ? null : 'has a name or a password in it';
}

export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}
