import { existsSync, readFileSync } from 'node:fs';
import { isAlive } from '../../../edge-agent/host/process-table.ts';

/** What an instance writes when it starts: who it is, where, as which process, and what it runs. */
export type LiveInstance = {
  readonly number: number;
  readonly edge: string;
  readonly pid: number;
  readonly word: string;
};

/** Each instance says who it is in the file `$STARTS`, and runs until it is stopped. */
export function sayingWho(word: string): string[] {
  const line = `$EDGEWISE_CHUNK $EDGEWISE_EDGE $$ ${word}`;
  return ['sh', '-c', `echo "${line}" >> "$STARTS"; exec sleep 3600`];
}

/**
 * Instances as the host sees them, whatever anybody reports: looked at many times a second, for how
 * many of a number run at once and how many numbers have nobody.
 */
export class InstanceWatch {
  readonly #path: string;
  #read = 0;
  #live: LiveInstance[] = [];
  readonly #doubledSinceMs = new Map<number, number>();
  #timer: NodeJS.Timeout | null = null;
  readonly numbers = new Set<number>();
  longestDoubledMs = 0;
  mostAway = 0;

  constructor(path: string) {
    this.#path = path;
  }

  live(): readonly LiveInstance[] {
    const text = existsSync(this.#path) ? readFileSync(this.#path, 'utf8') : '';
    const whole = text.slice(this.#read, text.lastIndexOf('\n') + 1);
    this.#read += whole.length;
    for (const line of whole.split('\n').filter(Boolean)) {
      const [number = '', edge = '', pid = '', word = ''] = line.split(' ');
      this.numbers.add(Number(number));
      this.#live.push({ number: Number(number), edge, pid: Number(pid), word });
    }
    this.#live = this.#live.filter(({ pid }) => isAlive(pid, null));
    return this.#live;
  }

  /** From now on it is counted how many of so many are away at once. */
  start(wanted: number): void {
    this.#timer = setInterval(() => this.#look(wanted), 50);
  }

  stop(): void {
    clearInterval(this.#timer ?? undefined);
  }

  #look(wanted: number): void {
    const nowMs = performance.now();
    const all = Map.groupBy(this.live(), ({ number }) => number);
    this.mostAway = Math.max(this.mostAway, wanted - all.size);
    for (const [number, instances] of all) {
      if (instances.length < 2) {
        this.#doubledSinceMs.delete(number);
        continue;
      }
      const sinceMs = this.#doubledSinceMs.get(number) ?? nowMs;
      this.#doubledSinceMs.set(number, sinceMs);
      this.longestDoubledMs = Math.max(this.longestDoubledMs, nowMs - sinceMs);
    }
  }
}
