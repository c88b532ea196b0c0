import { type CompletionEntry, type CompletionTree, namesOf } from './completion-tree.ts';

/** One `complete` line a word or flag; conditions look at the words before. */
export function fishCompletion(tree: CompletionTree): string {
  const lines = ['# edgewise completion for fish', 'complete -c edgewise -f'];
  const none = '__fish_use_subcommand';
  for (const [word, about] of tree.firstWords) {
    lines.push(`complete -c edgewise -n ${none} -a ${word} -d '${quote(about)}'`);
  }
  for (const entry of tree.entries) lines.push(...entryLines(entry));
  lines.push(...npxLines);
  return `${lines.join('\n')}\n`;
}

/** `npx edgewise` is completed as the client itself, which is then the one that is asked. */
const npxLines = [
  'function __edgewise_npx',
  '  function edgewise; command npx edgewise $argv; end',
  "  complete -C (string replace -r '^\\\\s*npx\\\\s+' '' -- (commandline -cp))",
  '  functions -e edgewise',
  'end',
  "complete -c npx -n 'test (count (commandline -opc)) -gt 1" +
    '; and test (commandline -opc)[2] = edgewise' +
    "' -f -a '(__edgewise_npx)'",
];

function entryLines(entry: CompletionEntry): string[] {
  const [noun, verb] = entry.words.split(' ');
  const lines: string[] = [];
  let condition = `__fish_seen_subcommand_from ${noun}`;
  if (verb !== undefined) {
    const open = `__fish_seen_subcommand_from ${noun}; and test (count (commandline -opc)) -eq 2`;
    lines.push(`complete -c edgewise -n '${open}' -a ${verb} -d '${quote(entry.about)}'`);
    condition += `; and __fish_seen_subcommand_from ${verb}`;
  }
  for (const flag of entry.flags) {
    const short = flag.short === null ? '' : ` -s ${flag.short}`;
    const value = flag.takesValue ? ' -r' : '';
    const asked = flag.noun === null ? undefined : namesOf[flag.noun];
    const values = asked === undefined ? flag.choices.join(' ') : `(${asked} 2>/dev/null)`;
    const choices = flag.takesValue && values !== '' ? ` -a '${values}'` : '';
    const about = quote(flag.about);
    const option = `-l ${flag.name}${short}${value}${choices}`;
    lines.push(`complete -c edgewise -n '${condition}' ${option} -d '${about}'`);
  }
  const names = entry.argument === null ? undefined : namesOf[entry.argument];
  if (names !== undefined) {
    lines.push(`complete -c edgewise -n '${condition}' -a '(${names} 2>/dev/null)'`);
  }
  return lines;
}

function quote(text: string): string {
  return text.replace(/'/g, '’');
}
