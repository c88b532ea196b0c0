import type { Noun } from '../command.ts';
import {
  type CompletionEntry,
  type CompletionFlag,
  type CompletionTree,
  namesOf,
} from './completion-tree.ts';

/** Plain bash, without the bash-completion package: one case per command. */
export function bashCompletion(tree: CompletionTree): string {
  const first = tree.firstWords.map(([word]) => word).join(' ');
  return `# edgewise completion for bash; load it with: source <(edgewise completion bash)
_edgewise() {
  local cur prev path flags values names
  local client="\${1:-edgewise}"
  COMPREPLY=()
  cur="\${COMP_WORDS[COMP_CWORD]}"
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  # Bash takes --flag=value for three words.
  if [[ "$cur" == "=" ]]; then
    cur=""
  elif [[ "$prev" == "=" ]]; then
    prev="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  path="\${COMP_WORDS[1]}"
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=( $(compgen -W "${first}" -- "$cur") )
    return
  fi
  case "$path" in
${nounCases(tree)}  esac
  case "$path" in
${tree.entries.map(entryCase).join('')}    *) return ;;
  esac
  values="$(_edgewise_values "$path" "$prev")"
  if [[ -n "$values" ]]; then
    COMPREPLY=( $(compgen -W "$values" -- "$cur") )
  elif [[ "$prev" == --file || "$prev" == -f || "$prev" == --data || "$prev" == --csr ]]; then
    COMPREPLY=( $(compgen -f -- "$cur") )
  elif [[ "$cur" == -* ]]; then
    COMPREPLY=( $(compgen -W "$flags" -- "$cur") )
  elif [[ -n "$names" ]]; then
    COMPREPLY=( $(compgen -W "last $($names 2>/dev/null)" -- "$cur") )
    [[ "$names" == *"job list"* ]] || COMPREPLY=( $(compgen -W "$($names 2>/dev/null)" -- "$cur") )
  fi
}
_edgewise_values() {
  case "$1 $2" in
${tree.entries.flatMap(valueCases).join('')}  esac
}
# \`npx edgewise\` is completed as the client itself; another completion of npx stays.
_edgewise_npx() {
  [[ "\${COMP_WORDS[1]:-}" == edgewise ]] || return 0
  COMP_WORDS=("\${COMP_WORDS[@]:1}")
  (( COMP_CWORD-- )) || return 0
  (( COMP_CWORD > 0 )) && _edgewise "npx edgewise"
}
complete -F _edgewise edgewise
complete -p npx >/dev/null 2>&1 || complete -o default -F _edgewise_npx npx
`;
}

function nounCases({ entries }: CompletionTree): string {
  const verbs = new Map<string, string[]>();
  for (const { words } of entries) {
    const [noun, verb] = words.split(' ');
    if (noun !== undefined && verb !== undefined)
      verbs.set(noun, [...(verbs.get(noun) ?? []), verb]);
  }
  return [...verbs]
    .map(
      ([noun, names]) => `    ${noun})
      if (( COMP_CWORD == 2 )); then
        COMPREPLY=( $(compgen -W "${names.join(' ')}" -- "$cur") )
        return
      fi
      path="${noun} \${COMP_WORDS[2]}" ;;
`,
    )
    .join('');
}

function entryCase(entry: CompletionEntry): string {
  const flags = entry.flags.map((flag) => `--${flag.name}`).join(' ');
  const names = entry.argument === null ? '' : (asked(entry.argument) ?? '');
  return `    "${entry.words}") flags="${flags}"; names="${names}" ;;\n`;
}

function valueCases(entry: CompletionEntry): string[] {
  return entry.flags
    .map((flag) => ({ flag, values: valuesOf(flag) }))
    .filter(({ flag, values }) => flag.takesValue && values !== null)
    .map(({ flag, values }) => {
      const short = flag.short === null ? '' : `|"${entry.words} -${flag.short}"`;
      return `    "${entry.words} --${flag.name}"${short}) ${values} ;;\n`;
    });
}

function valuesOf({ choices, noun }: CompletionFlag): string | null {
  if (choices.length > 0) return `echo "${choices.join(' ')}"`;
  const names = noun === null ? undefined : asked(noun);
  return names === undefined ? null : `${names} 2>/dev/null`;
}

/** By the client that is completed: under another path, or through npx. */
function asked(noun: Noun): string | undefined {
  return namesOf[noun]?.replace(/^edgewise /, '$client ');
}
