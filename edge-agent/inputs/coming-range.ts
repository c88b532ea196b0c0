import type { Readable } from 'node:stream';
import { downloadWriteBytes, rangeAsksMax } from '../limits.ts';

/**
 * One range of an object that comes while those before it are written. It goes on by itself until
 * it is whole; one that breaks off is asked for again from where it stood, as long as it moves.
 */
export type Range = {
  readonly start: number;
  /** The first byte that is not of it. */
  readonly end: number;
};

/** Answers with the bytes of a range, from its first one on. */
export type AskRange = (range: Range) => Promise<Readable>;

export class ComingRange {
  readonly #bytes: Buffer;
  #filled = 0;
  #failure: unknown = null;
  #isOver = false;
  #wake: () => void = () => {};

  constructor(range: Range, room: Buffer, ask: AskRange) {
    this.#bytes = room.subarray(0, range.end - range.start);
    void this.#fetch(range, ask).then(
      () => this.#over(null),
      (error: unknown) => this.#over(error),
    );
  }

  /** Small ones, which are still near when they are written and summed. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let taken = 0; ; ) {
      const isEnough = this.#filled - taken >= downloadWriteBytes || this.#isOver;
      if (!isEnough) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else if (this.#filled > taken) {
        const piece = this.#bytes.subarray(taken, this.#filled).subarray(0, downloadWriteBytes);
        taken += piece.length;
        yield piece;
      } else if (this.#failure !== null) {
        throw this.#failure;
      } else {
        return;
      }
    }
  }

  async #fetch({ start, end }: Range, ask: AskRange): Promise<void> {
    for (let asks = 1; this.#filled < this.#bytes.length; asks++) {
      const before = this.#filled;
      try {
        await this.#take(await ask({ start: start + before, end }));
      } catch (error) {
        if (this.#filled === before || asks >= rangeAsksMax) throw error;
      }
    }
  }

  /** What comes has its place already: it is taken as it comes. */
  #take(body: Readable): Promise<void> {
    return new Promise((resolve, reject) => {
      body.on('data', (piece: Buffer) => {
        if (piece.length > this.#bytes.length - this.#filled) {
          body.destroy(new Error('the store answers with more than was asked for'));
          return;
        }
        this.#bytes.set(piece, this.#filled);
        this.#filled += piece.length;
        this.#wake();
      });
      const isWhole = (): boolean => this.#filled === this.#bytes.length;
      const short = new Error('the connection ends in the middle');
      body.once('end', () => (isWhole() ? resolve() : reject(short)));
      body.once('error', reject);
      body.once('close', () => reject(short));
    });
  }

  #over(failure: unknown): void {
    this.#failure = failure;
    this.#isOver = true;
    this.#wake();
  }
}
