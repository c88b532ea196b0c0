import { heldText } from '../../core/files/held-files.ts';
import { heldFilesMax } from '../../core/files/limits.ts';

/**
 * What the edges of this process say of the inputs that are here: files and lists that jobs named,
 * those that were used last. A list stands for its tree: it came first, so it is the first to go.
 */
export type HeldInputs = {
  used(digests: readonly string[]): void;
  /** For the facts; `null` when nothing is here. */
  text(): string | null;
};

export function openHeldInputs(isHere: (digest: string) => boolean): HeldInputs {
  // In the order of their last use.
  let last: readonly string[] = [];
  return {
    used(digests) {
      last = [...new Set([...digests, ...last])].slice(0, heldFilesMax);
    },
    text() {
      last = last.filter(isHere);
      return last.length === 0 ? null : heldText(last);
    },
  };
}
