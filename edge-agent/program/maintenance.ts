import type { DiskRoom } from '../chunk-directory/disk-room.ts';
import type { Journal } from '../disk/journal.ts';
import { snapshotOf } from '../disk/journal-compaction.ts';
import type { JournalRecord } from '../disk/journal-record.ts';
import type { EdgeLife } from '../edge/edge-life.ts';
import type { NoteBook } from '../executors/executor-notes.ts';
import { type Clock, minuteOfDay } from '../host/clock.ts';
import { isOpen, type PolicyFile } from '../host/policy.ts';
import { journalRetryMs } from '../limits.ts';

type Kept = {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly notes: NoteBook;
  readonly policy: PolicyFile;
  readonly room: DiskRoom;
  readonly lives: ReadonlyMap<string, EdgeLife>;
};

/**
 * What has to be looked at now and then: a disk that had stopped taking writes, a journal that
 * has grown, the owner's policy and its hours, facts that changed.
 */
export function maintain({ clock, journal, lives, notes, policy, room }: Kept): () => void {
  let cancel: () => void = () => {};
  let wasOpen = isOpen(policy.current(), minuteOfDay(clock));
  let wasTroubled = room.isTroubled();
  const snapshot = function* (): Iterable<JournalRecord> {
    for (const [name, life] of lives) yield* snapshotOf(name, life.edge.memory());
    yield* notes.records();
  };
  const look = (): void => {
    const diskBefore = journal.state();
    const disk = diskBefore === 'ok' ? diskBefore : journal.retry();
    journal.compactIfGrown(snapshot);
    const isOpenNow = isOpen(policy.current(), minuteOfDay(clock));
    const isOtherPolicy = policy.look();
    const isTroubled = room.isTroubled();
    const isOtherRoom = isTroubled !== wasTroubled;
    const isNews = disk !== diskBefore || isOpenNow !== wasOpen || isOtherPolicy || isOtherRoom;
    wasOpen = isOpenNow;
    wasTroubled = isTroubled;
    for (const life of lives.values()) {
      if (isNews) life.edge.decide();
      void life.tellFacts();
    }
    cancel = clock.after(journalRetryMs, look);
  };
  cancel = clock.after(journalRetryMs, look);
  return () => cancel();
}
