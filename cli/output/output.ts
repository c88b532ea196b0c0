import { stringify } from 'yaml';
import type { Terminal } from '../terminal.ts';
import { formatTable, type Table } from './table.ts';

export type Format = 'table' | 'wide' | 'json' | 'yaml' | 'name';

/**
 * One answer in the format the user asked for. `json` and `yaml` are the API's own value, whole and
 * only once: scripts rely on it. `name` is one identifier a line, for `xargs`. A list that is not
 * whole says so on stderr.
 */
export type Output = {
  readonly format: Format;
  readonly colour: boolean;
  list<T>(value: unknown, items: readonly T[], table: Table<T>): void;
  /** `details` is what a person reads of a single thing. */
  single(value: unknown, name: string, details: () => string): void;
};

export function makeOutput(format: Format, terminal: Terminal): Output {
  const colour = usesColour(terminal);
  const machine = (value: unknown): boolean => {
    if (format === 'json') terminal.out(`${JSON.stringify(value, null, 2)}\n`);
    else if (format === 'yaml') terminal.out(stringify(value, { lineWidth: 0 }));
    else return false;
    return true;
  };
  return {
    format,
    colour,
    list: (value, items, table) => {
      if (machine(value)) return;
      if (format === 'name') for (const item of items) terminal.out(`${table.name(item)}\n`);
      else terminal.out(formatTable(items, table, { wide: format === 'wide', colour }));
      if (hasMore(value)) terminal.say(`The first ${items.length}. More: --limit N or --all`);
    },
    single: (value, name, details) => {
      if (machine(value)) return;
      terminal.out(format === 'name' ? `${name}\n` : details());
    },
  };
}

function hasMore(value: unknown): boolean {
  const { nextCursor } = value as { nextCursor?: string | null };
  return (nextCursor ?? null) !== null;
}

/** https://no-color.org, and none where nobody looks. */
export function usesColour(terminal: Terminal): boolean {
  return terminal.outIsTerminal && !terminal.env.NO_COLOR && terminal.env.TERM !== 'dumb';
}
