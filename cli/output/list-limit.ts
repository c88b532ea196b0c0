import { listItemsMax, listLimitDefault } from '../limits.ts';
import { shapeFlags } from './table-shape.ts';

/** What every list takes: how much of it, and how it is laid out. */
export const listFlags = {
  ...shapeFlags,
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

export function readLimit(flags: {
  readonly limit: number | undefined;
  readonly all: boolean;
}): number {
  return flags.all ? listItemsMax : (flags.limit ?? listLimitDefault);
}
