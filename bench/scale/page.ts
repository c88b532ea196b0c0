import { busyCells, busyRates, idleRates, type Needs, needsOf, type Rates } from './needs.ts';
import { quotas } from './quotas.ts';

/** The tables of `docs/scale.md`, as text: the page is held to them by a test. */
export const fleets = [10_000, 100_000, 1_000_000] as const;

export type Computed = {
  readonly idle: readonly Needs[];
  readonly long: readonly Needs[];
  readonly short: readonly Needs[];
  readonly chunksPerMonth: readonly number[];
};

export function compute(): Computed {
  const of = (rates: Rates) => fleets.map((edges) => needsOf(edges, rates));
  const short = busyRates(busyCells.short);
  return {
    idle: of(idleRates()),
    long: of(busyRates(busyCells.long)),
    short: of(short),
    chunksPerMonth: fleets.map((edges) => edges * short.chunks * 730 * 3_600),
  };
}

/** By the name of its place in the page. */
export function tablesOf(computed: Computed): ReadonlyMap<string, string> {
  return new Map([
    ['cost', costTable(computed)],
    ['quotas', quotaTable(computed.short)],
    ['raise', raiseTable(computed)],
    ['return', returnTable()],
  ]);
}

/** The page with these tables in their places. */
export function withTables(page: string, tables: ReadonlyMap<string, string>): string {
  return [...tables].reduce((text, [name, table]) => {
    const place = new RegExp(`(<!-- ${name} -->\n)[^]*?(\n<!-- /${name} -->)`);
    if (!place.test(text)) throw new Error(`the page has no place for ${name}`);
    return text.replace(place, (_, begin: string, end: string) => begin + table + end);
  }, page);
}

function costTable({ idle, long, short, chunksPerMonth }: Computed): string {
  const rows = fleets.map((edges, at) => [
    number(edges),
    dollars(idle[at]!),
    dollars(long[at]!),
    dollars(short[at]!),
    `${((short[at]!.dollarsPerMonth / chunksPerMonth[at]!) * 1e6).toFixed(2)} $`,
  ]);
  const head = ['edges', 'idle', 'busy, 600 s', 'busy, 20 s', 'a million chunks of 20 s'];
  return table(head, rows);
}

function quotaTable(needs: readonly Needs[]): string {
  const rows = quotas.quotas.map(({ name, what, most }) => [
    what,
    number(most),
    ...needs.map(({ perSecond }) => {
      const need = perSecond.get(name)!;
      return need > most ? `**${number(need)}**` : number(need);
    }),
  ]);
  return table(['quota', 'before it is raised', ...fleets.map(number)], rows);
}

/** Half as much again, so that a bad minute has room. */
function raiseTable({ idle, long, short }: Computed): string {
  const rows = fleets.flatMap((edges, at) =>
    quotas.quotas.flatMap(({ name, what, most }) => {
      const asked = [idle, long, short].map((of) => of[at]!.perSecond.get(name)! * 1.5);
      if (Math.max(...asked) <= most) return [];
      return [[number(edges), what, ...asked.map((it) => (it > most ? number(upTo(it)) : '–'))]];
    }),
  );
  return table(['edges', 'raise', 'idle, to', 'busy, 600 s, to', 'busy, 20 s, to'], rows);
}

function returnTable(): string {
  const { connectsPerSecond, certificatesPerSecond } = quotas;
  const rows = fleets.map((edges) => [
    number(edges),
    `${number(edges / connectsPerSecond)} s`,
    `${number(edges / certificatesPerSecond / 3_600)} h`,
  ]);
  const head = ['edges', 'until all are connected again', 'until all have enrolled once'];
  return table(head, rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|${head.map((_, at) => (at === 0 ? '---' : '---:')).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** Two digits that count: no figure here is known better. */
function number(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 1 - Math.floor(Math.log10(value)));
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  const rounded = value >= 100 ? Math.round(value / step) * step : value;
  return rounded.toLocaleString('en-US', { maximumFractionDigits: Math.min(digits, 3) });
}

function upTo(value: number): number {
  const step = 10 ** Math.floor(Math.log10(value));
  return Math.ceil(value / step) * step;
}

function dollars({ dollarsPerMonth }: Needs): string {
  return `${number(dollarsPerMonth)} $`;
}
