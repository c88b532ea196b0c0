import type { FileSystem } from '../../../edge-agent/disk/file-system.ts';
import { type OpenedJournal, openJournal } from '../../../edge-agent/disk/journal.ts';
import { attempt, must } from '../checks/truth.ts';

const journalPath = '/var/lib/edgewise/journal.log';
/** Small, so that the journal is rewritten while a seed lasts. */
const rewriteBytesMin = 300;

/**
 * What an agent finds on the disk of its edge. A loss of power, a kill or a full disk may tear the
 * last line, which is cut off; none of them damages one that another stands behind.
 */
export function openJournalOf(
  edge: { readonly name: string },
  files: FileSystem,
  world: { readonly defect: (error: unknown) => void },
): OpenedJournal {
  const opened = openJournal(journalPath, files, rewriteBytesMin);
  const isWhole = opened.damagedLines === 0;
  attempt(
    () => must(isWhole, () => `the journal of ${edge.name} is damaged in the middle`),
    world.defect,
  );
  return opened;
}
