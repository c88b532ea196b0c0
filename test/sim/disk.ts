import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { Journal } from '../../edge-agent/disk/journal.ts';
import {
  decodeRecord,
  encodeRecord,
  type JournalRecord,
} from '../../edge-agent/disk/journal-record.ts';
import type { SeededRandom } from './seeded-random.ts';

/**
 * An edge's disk. What was appended survives the death of the process; what was not yet synced may
 * be gone after a loss of power, and its last line may be torn.
 */
export class Disk {
  readonly specs = new Map<string, AgentSpec>();
  #lines: string[] = [];
  #syncedLines = 0;

  /** For one life of the agent: after its death it writes nothing more. */
  journal(
    isAlive: () => boolean,
    pause: () => Promise<void>,
    writes: (record: JournalRecord) => boolean = () => true,
  ): Journal {
    return {
      append: (record) => {
        if (isAlive() && writes(record)) this.#lines.push(encodeRecord(record));
      },
      sync: async () => {
        const upTo = this.#lines.length;
        await pause();
        if (isAlive()) this.#syncedLines = Math.max(this.#syncedLines, upTo);
        return true;
      },
      retry: () => 'ok',
      state: () => 'ok',
      compactIfGrown: () => {},
      close: () => {},
    };
  }

  losePower(random: SeededRandom): void {
    const kept = random.between(this.#syncedLines, this.#lines.length);
    const torn = this.#lines[kept]?.slice(0, 5);
    this.#lines = this.#lines.slice(0, kept);
    if (torn !== undefined && random.chance(0.5)) this.#lines.push(torn);
    this.#syncedLines = this.#lines.length;
  }

  records(): JournalRecord[] {
    return this.#lines.flatMap((line) => {
      const record = decodeRecord(line.trimEnd());
      return record === null ? [] : [record];
    });
  }
}
