import { listItemsMax } from '../limits.ts';

export const limitFlags = {
  limit: {
    kind: 'number',
    short: 'n',
    value: 'N',
    min: 1,
    max: listItemsMax,
    about: 'how many (50)',
  },
  all: { kind: 'switch', about: 'all of them' },
  cursor: { kind: 'text', value: 'CURSOR', about: 'go on after this page', rare: true },
} as const;

const limitDefault = 50;

export function readLimit(flags: {
  readonly limit: number | undefined;
  readonly all: boolean;
}): number {
  return flags.all ? listItemsMax : (flags.limit ?? limitDefault);
}
