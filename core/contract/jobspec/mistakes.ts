import type { FieldError } from '../validation.ts';
import { jobspecErrorsMax } from './limits.ts';

/** What is wrong with a jobspec, all of it at once up to a bound. */
export class Mistakes {
  readonly #errors: FieldError[] = [];

  get errors(): readonly FieldError[] {
    return this.#errors;
  }

  get none(): boolean {
    return this.#errors.length === 0;
  }

  add(pointer: string, message: string): void {
    if (this.#errors.length < jobspecErrorsMax) this.#errors.push({ pointer, message });
  }
}

/** ` Did you mean "x"?` where one of the names is near, and nothing otherwise. */
export function hint(name: string, known: Iterable<string>): string {
  let best: string | null = null;
  let least = Math.min(Math.max(2, Math.floor(name.length / 3)) + 1, name.length);
  for (const it of known) {
    const far = distance(name.slice(0, 64), it.slice(0, 64), least);
    if (far < least) [best, least] = [it, far];
  }
  return best === null ? '' : ` Did you mean "${best}"?`;
}

/** Letters to change, to add or to leave out; no more than `most` is looked for. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) >= most) return most;
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(same, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
