import type { Faults } from '../faults.ts';
import { hashText, type SeededRandom } from '../seeded-random.ts';
import type { Timeline } from '../timeline.ts';
import type { ChangeRecord } from './simulated-table.ts';

/**
 * The table's stream: records of one partition lie in one shard, in their order. Shards split while
 * records are in them, and a child is read when its parent is empty. A reader is given one batch of
 * a shard at a time, and the batch again from the first record that it could not do; one that fails
 * as a whole is halved. What fails too often is left out, as the event source mapping of the
 * template does, and any batch may be delivered twice.
 */
export type StreamWorld = {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly faults: () => Faults;
  /** While nothing is invoked, records wait. */
  readonly isUp: () => boolean;
  readonly bug: StreamBug | null;
};

export type StreamBug = {
  readonly ignoresChildShards?: true;
  /** The records of a batch as the function has them. */
  readonly records?: (records: readonly StreamRecord[]) => readonly StreamRecord[];
};

export type StreamRecord = ChangeRecord & { readonly sequence: string };

export type StreamReader = {
  readonly name: string;
  /** The filter of the template. */
  readonly wants: (record: ChangeRecord) => boolean;
  /** Answers the sequences of records to be delivered again; `null` when it failed as a whole. */
  readonly read: (records: readonly StreamRecord[]) => Promise<readonly string[] | null>;
};

const triesMax = 8;
const batchMax = 12;
const downMs = 700;

export class ChangeStream {
  readonly #world: StreamWorld;
  readonly #readers: StreamReader[] = [];
  #open: Shard[];
  #records = 0;

  constructor(world: StreamWorld, shards: number) {
    this.#world = world;
    this.#open = Array.from({ length: shards }, (_, at) =>
      newShard(at / shards, (at + 1) / shards),
    );
  }

  addReader(reader: StreamReader): void {
    this.#readers.push(reader);
  }

  add(record: ChangeRecord): void {
    const at = (hashText(record.pk) >>> 0) / 2 ** 32;
    const shard = this.#open.find(({ from, to }) => at >= from && at < to)!;
    this.#records += 1;
    const sequence = String(this.#records).padStart(12, '0');
    for (const reader of this.#readers) {
      if (!reader.wants(record)) continue;
      if (this.#world.bug?.ignoresChildShards && shard.parent !== null) continue;
      const lane = laneOf(shard, reader);
      lane.records.push({ ...record, sequence });
      this.#pump(shard, reader, lane);
    }
  }

  /** A shard that has grown too hot becomes two. */
  split(): void {
    const { random } = this.#world;
    const parent = random.pick(this.#open);
    const middle = (parent.from + parent.to) / 2;
    const children = [newShard(parent.from, middle, parent), newShard(middle, parent.to, parent)];
    this.#open = [...this.#open.filter((shard) => shard !== parent), ...children];
    parent.children.push(...children);
  }

  /** The stream of a table that is no more: nobody reads the rest of it. */
  end(shards: number): void {
    for (const shard of this.#open) endShard(shard);
    this.#open = Array.from({ length: shards }, (_, at) =>
      newShard(at / shards, (at + 1) / shards),
    );
  }

  #pump(shard: Shard, reader: StreamReader, lane: Lane): void {
    if (lane.isBusy || lane.records.length === 0 || isBlocked(shard.parent, reader)) return;
    lane.isBusy = true;
    const { random, timeline } = this.#world;
    const isSlow = random.chance(this.#world.faults().slowEvent);
    const delayMs = isSlow ? random.between(500, 20_000) : random.between(2, 60);
    timeline.after(delayMs * (lane.tries + 1), `${reader.name} shard`, () => {
      if (this.#world.isUp()) return this.#deliver(shard, reader, lane);
      return void timeline.after(downMs, `${reader.name} down`, () => {
        lane.isBusy = false;
        this.#pump(shard, reader, lane);
      });
    });
  }

  async #deliver(shard: Shard, reader: StreamReader, lane: Lane): Promise<void> {
    const { random, timeline } = this.#world;
    const batch = lane.records.slice(0, Math.min(lane.batchMax, random.between(1, batchMax)));
    if (random.chance(this.#world.faults().duplicateEvent)) {
      timeline.after(random.between(1, 5_000), `${reader.name} again`, async () => {
        await reader.read(batch);
      });
    }
    const failed = await reader.read(this.#world.bug?.records?.(batch) ?? batch);
    settle(lane, batch, failed);
    lane.isBusy = false;
    if (lane.records.length > 0) this.#pump(shard, reader, lane);
    else for (const child of shard.children) this.#pump(child, reader, laneOf(child, reader));
  }
}

/** What one reader has still to read of one shard. */
type Lane = { records: StreamRecord[]; isBusy: boolean; tries: number; batchMax: number };

type Shard = {
  readonly from: number;
  readonly to: number;
  readonly parent: Shard | null;
  readonly children: Shard[];
  readonly lanes: Map<StreamReader, Lane>;
};

function newShard(from: number, to: number, parent: Shard | null = null): Shard {
  return { from, to, parent, children: [], lanes: new Map() };
}

function laneOf(shard: Shard, reader: StreamReader): Lane {
  const lane = shard.lanes.get(reader) ?? { records: [], isBusy: false, tries: 0, batchMax };
  shard.lanes.set(reader, lane);
  return lane;
}

function isBlocked(shard: Shard | null, reader: StreamReader): boolean {
  if (shard === null) return false;
  const lane = shard.lanes.get(reader);
  return (lane !== undefined && lane.records.length > 0) || isBlocked(shard.parent, reader);
}

function endShard(shard: Shard): void {
  for (const lane of shard.lanes.values()) lane.records = [];
  if (shard.parent !== null) endShard(shard.parent);
}

function settle(lane: Lane, batch: StreamRecord[], failed: readonly string[] | null): void {
  const first = failed === null ? 0 : firstOf(batch, failed);
  const done = first === -1 ? batch.length : first;
  lane.tries = done > 0 ? 0 : lane.tries + 1;
  if (failed === null) lane.batchMax = Math.max(1, Math.floor(batch.length / 2));
  else lane.batchMax = batchMax;
  const isGivenUp = lane.tries >= triesMax;
  if (isGivenUp) lane.tries = 0;
  const gone = new Set((isGivenUp ? batch : batch.slice(0, done)).map(({ sequence }) => sequence));
  lane.records = lane.records.filter(({ sequence }) => !gone.has(sequence));
}

function firstOf(batch: readonly StreamRecord[], failed: readonly string[]): number {
  return batch.findIndex(({ sequence }) => failed.includes(sequence));
}
