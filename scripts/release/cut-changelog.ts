/**
 * What stood under *Unreleased* becomes the section of a version, and an empty *Unreleased* stands
 * above it. Refuses to release nothing, and the same version twice.
 */
export type Cut = {
  readonly text: string;
  /** What is new, as the notes of the release. */
  readonly notes: string;
};

const unreleased = '## Unreleased';

export function cutChangelog(text: string, version: string, day: string): Cut {
  const lines = text.split('\n');
  if (lines.some((line) => line.startsWith(`## ${version} `))) {
    throw new Error(`the changelog has ${version} already`);
  }
  const from = lines.indexOf(unreleased);
  if (from === -1) throw new Error(`the changelog has no "${unreleased}"`);
  const next = lines.findIndex((line, at) => at > from && line.startsWith('## '));
  const to = next === -1 ? lines.length : next;
  const notes = lines
    .slice(from + 1, to)
    .join('\n')
    .trim();
  if (!notes.includes('\n- ') && !notes.startsWith('- ')) {
    throw new Error('nothing is new: there is no line under "Unreleased"');
  }
  const section = [unreleased, '', `## ${version} (${day})`, '', notes, ''];
  const cut = [...lines.slice(0, from), ...section, ...lines.slice(to)].join('\n');
  return { text: `${cut.trimEnd()}\n`, notes };
}
