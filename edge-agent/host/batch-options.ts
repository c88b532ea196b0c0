/**
 * Options that a job hands to `sbatch` or `flux submit`. Where a job runs, as whom, and which files
 * are read and written is the edge's to say: its owner has a rule about directories, and a file
 * that the batch system writes is written with the rights of the agent.
 */

/** As the commands call them, without their hyphens; they take any beginning of a name as well. */
const ownNames = [
  ...['chdir', 'output', 'error', 'input', 'uid', 'gid', 'wrap', 'export-file', 'get-user-env'],
  ...['cwd', 'setattr', 'setopt', 'env-file', 'flags', 'script'],
];
const ownLetters = new Set('DoeiS');
/** Letters that stand alone, so that another option may follow in the same word. */
const plainLetters = new Set('HIkOQsvWhVu');

/** The option that is not the job's to give, or `null`. */
export function foreignOption(options: readonly string[]): string | null {
  return options.find(isOwn) ?? null;
}

function isOwn(option: string): boolean {
  if (!option.startsWith('-')) return false;
  if (!option.startsWith('--')) return isOwnLetter(option.slice(1));
  const [name = ''] = option.slice(2).split('=', 1);
  return ownNames.some((own) => own.startsWith(name));
}

function isOwnLetter(letters: string): boolean {
  for (const letter of letters) {
    if (ownLetters.has(letter)) return true;
    if (!plainLetters.has(letter)) return false;
  }
  return false;
}
