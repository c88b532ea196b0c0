import type { Log } from '../host/log-lines.ts';
import { doubledReportMs } from '../limits.ts';
import type { Reporter } from '../report/reporter.ts';

/**
 * Whether the control plane sees two agents with the identity of this edge. Neither is the right
 * one: both say so in plain words, give way, and go on reporting, so that it is noticed when one of
 * them is gone.
 */
export type DoubledIdentity = {
  /** What a work document says. */
  note(isDoubled: boolean): void;
  /** A report was taken: while there are two agents the next one is due soon. */
  reported(reporter: Pick<Reporter, 'need'>): void;
};

export function watchIdentity(
  name: string,
  log: Log,
  giveWay: (mustGiveWay: boolean) => void,
): DoubledIdentity {
  let isDoubled = false;
  return {
    note(is) {
      if (is === isDoubled) return;
      isDoubled = is;
      giveWay(is);
      if (is) log(`${name}: ${explanation}`, 'error');
      else log(`${name}: no other agent uses this identity any more.`);
    },
    reported(reporter) {
      if (isDoubled) reporter.need(doubledReportMs);
    },
  };
}

const explanation =
  'another agent uses the same identity, and both run the same work. Nothing new comes until one ' +
  'of them is stopped. To keep both, empty the data directory of the copy and enrol it under ' +
  'another name.';
