import type { CellEdge, Intent, Lease } from '../../model/cell.ts';
import { edgeAmountMax, edgePowerDefault } from '../../model/limits.ts';
import { count, isEmpty, last } from '../../model/ranges.ts';
import { namedValue } from '../../protocol/named-values.ts';

/**
 * Amounts: what an edge has, and what one chunk of a job takes of it. Power is one name among
 * others, kept apart because every job asks for it. A name that an edge does not list is zero
 * there.
 */
export type Amounts = { power: number; readonly others: Map<string, number> };

/** More is in use than there is. */
export function isOverdrawn({ power, others }: Amounts): boolean {
  return power < 0 || [...others.values()].some((amount) => amount < 0);
}

export type Demand = {
  readonly power: number;
  /** What the job's last chunk reserves: the remainder of the division is in it. */
  readonly lastPower: number;
  readonly lastChunk: number;
  readonly others: readonly (readonly [name: string, amount: number])[];
};

const nothing: readonly (readonly [string, number])[] = [];

export function demandOf(intent: Pick<Intent, 'chunking' | 'spec'>): Demand {
  const { chunking, spec } = intent;
  const others = Object.entries(spec.resources).filter(([name, n]) => name !== 'power' && n > 0);
  return {
    power: chunking.chunkPower,
    lastPower: chunking.lastChunkPower,
    lastChunk: chunking.chunks - 1,
    others: others.length === 0 ? nothing : others,
  };
}

type Claim = Pick<CellEdge, 'config' | 'facts' | 'capacityMax'>;

/**
 * What the edge says of itself, overridden name by name by what its users set. Nobody checks a
 * claim, but none is believed above what its pool allows; what users set of one edge is. Neither
 * goes above a bound of all: sums stay numbers, whatever is said.
 */
export function capacityOf(edge: Claim): Amounts {
  const others = new Map<string, number>();
  let power = edgePowerDefault;
  const set = (name: string, amount: number) => {
    if (name === 'power') power = amount;
    else others.set(name, amount);
  };
  const claim = claimOf(edge);
  for (const name in claim) set(name, believed(claim[name]!, mostOf(edge, name)));
  const { capacity } = edge.config;
  for (const name in capacity) set(name, believed(capacity[name]!, edgeAmountMax));
  return { power, others };
}

function claimOf({ facts }: Claim): Readonly<Record<string, number>> {
  return facts?.counted === undefined
    ? (facts?.capacity ?? {})
    : { ...facts.capacity, ...facts.counted };
}

function believed(amount: number, most: number): number {
  return amount > 0 ? Math.min(amount, most) : 0;
}

function mostOf({ capacityMax }: Claim, name: string): number {
  return Math.min(edgeAmountMax, namedValue(capacityMax, name) ?? edgeAmountMax);
}

/** Resources of which the edge claims more than is believed, with what is; an override is. */
export function excessOf(edge: Claim): readonly (readonly [name: string, believed: number])[] {
  return Object.entries(claimOf(edge)).flatMap(([name, amount]) => {
    const most = mostOf(edge, name);
    const isSet = namedValue(edge.config.capacity, name) !== undefined;
    return isSet || amount <= most ? [] : [[name, most] as const];
  });
}

/** Amounts that change apart from where they began. */
export function copyAmounts({ power, others }: Amounts): Amounts {
  return { power, others: new Map(others) };
}

/** What of a lease decides how much of its edge it takes. */
type InUse = Pick<Lease, 'ranges' | 'slots' | 'running'>;

/**
 * How many chunks of a lease may be running now: never more than it has, never fewer than are seen
 * to run.
 */
export function slotsInUse(lease: InUse): number {
  if (isEmpty(lease.ranges)) return 0;
  return Math.max(Math.min(lease.slots, count(lease.ranges)), count(lease.running));
}

/** Adds what the lease reserves to `amounts`, `sign` times. */
export function reservedBy(
  lease: InUse & { readonly job: { readonly demand: Demand } },
  amounts: Amounts,
  sign: 1 | -1,
): void {
  const slots = slotsInUse(lease);
  if (slots === 0) return;
  const { demand } = lease.job;
  amounts.power += sign * powerOfSlots(demand, slots, last(lease.ranges) === demand.lastChunk);
  for (const [name, amount] of demand.others) {
    amounts.others.set(name, (amounts.others.get(name) ?? 0) + sign * slots * amount);
  }
}

export function powerOfSlots(demand: Demand, slots: number, withLast: boolean): number {
  const extra = withLast && slots > 0 ? demand.lastPower - demand.power : 0;
  return slots * demand.power + extra;
}

/** How many ordinary chunks fit into `free`, and what runs out first. */
export function fitOf(demand: Demand, free: Amounts, chunkPower = demand.power): number {
  let fit = Math.floor(free.power / chunkPower);
  for (const [name, amount] of demand.others) {
    fit = Math.min(fit, Math.floor((free.others.get(name) ?? 0) / amount));
  }
  return Math.max(0, fit);
}

/** The first thing of which there is too little for one chunk; `null` when it fits. */
export function shortOf(demand: Demand, free: Amounts, chunkPower: number): string | null {
  if (free.power < chunkPower) return 'power';
  for (const [name, amount] of demand.others) {
    if ((free.others.get(name) ?? 0) < amount) return name;
  }
  return null;
}
