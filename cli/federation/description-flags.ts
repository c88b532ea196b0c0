import { usage } from '../failure.ts';

/** What both commands about a description take. */
export const descriptionFlags = {
  file: { kind: 'text', short: 'f', value: 'FILE', about: 'the description; - is stdin (default)' },
  stage: {
    kind: 'list',
    value: 'CONTEXT',
    noun: 'context',
    about: 'this stage instead of those in the file; may be repeated',
  },
} as const;

export function refuseOneApi(given: ReadonlySet<string>): void {
  const flag = ['api', 'token', 'context'].find((name) => given.has(name));
  if (flag === undefined) return;
  throw usage(`--${flag} names one API.`, 'Stages are contexts: give --stage CONTEXT.');
}
