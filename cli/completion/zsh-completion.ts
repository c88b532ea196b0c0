import {
  type CompletionEntry,
  type CompletionFlag,
  type CompletionTree,
  namesOf,
} from './completion-tree.ts';

/** Uses zsh's own `_arguments`, so that descriptions appear beside the words. */
export function zshCompletion(tree: CompletionTree): string {
  return `#compdef edgewise
# edgewise completion for zsh; load it with: source <(edgewise completion zsh)
_edgewise_names() {
  local -a names
  names=( \${(f)"$(\${(z)\${1/#edgewise/\${client:-edgewise}}} 2>/dev/null)"} )
  [[ "$1" == *"job list"* ]] && names=( last $names )
  compadd -a names
}
_edgewise() {
  local -a words_first
  local verb
  if (( CURRENT == 2 )); then
    words_first=(
${tree.firstWords.map(([word, about]) => `      '${word}:${quote(about)}'\n`).join('')}    )
    _describe 'command' words_first
    return
  fi
  local route="\${words[2]}"
  case "$route" in
${nounCases(tree)}  esac
  case "$route" in
${tree.entries.map(entryCase).join('')}  esac
}
# \`npx edgewise\` is completed as the client itself; another completion of npx stays.
_edgewise_npx() {
  if [[ "\${words[2]}" == edgewise ]] && (( CURRENT > 2 )); then
    local client='npx edgewise'
    shift words; (( CURRENT-- ))
    _edgewise
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _edgewise ]]; then
  _edgewise "$@"
elif (( \${+functions[compdef]} )); then
  compdef _edgewise edgewise
  (( \${+_comps[npx]} )) || compdef _edgewise_npx npx
fi
`;
}

function nounCases({ entries }: CompletionTree): string {
  const verbs = new Map<string, CompletionEntry[]>();
  for (const entry of entries) {
    const [noun, verb] = entry.words.split(' ');
    if (noun === undefined || verb === undefined) continue;
    verbs.set(noun, [...(verbs.get(noun) ?? []), entry]);
  }
  return [...verbs]
    .map(([noun, list]) => {
      const words = list.map((entry) => `'${entry.words.split(' ')[1]}:${quote(entry.about)}'`);
      return `    ${noun})
      if (( CURRENT == 3 )); then
        words_first=( ${words.join(' ')} )
        _describe 'verb' words_first
        return
      fi
      route="${noun} \${words[3]}"
      shift words; (( CURRENT-- )) ;;
`;
    })
    .join('');
}

function entryCase(entry: CompletionEntry): string {
  const specs = entry.flags.map((flag) => `'${flagSpec(flag)}'`);
  const names = entry.argument === null ? undefined : namesOf[entry.argument];
  if (names !== undefined) specs.push(`'*: :_edgewise_names "${names}"'`);
  return `    "${entry.words}") shift words; (( CURRENT-- )); _arguments ${specs.join(' ')} ;;\n`;
}

function flagSpec(flag: CompletionFlag): string {
  const about = quote(flag.about);
  if (!flag.takesValue) return `--${flag.name}[${about}]`;
  const values = flag.choices.length > 0 ? `(${flag.choices.join(' ')})` : valueAction(flag);
  return `--${flag.name}=[${about}]:value:${values}`;
}

function valueAction({ name, noun }: CompletionFlag): string {
  const names = noun === null ? undefined : namesOf[noun];
  if (names !== undefined) return `_edgewise_names "${names}"`;
  return ['file', 'data', 'csr', 'policy'].includes(name) ? '_files' : '';
}

function quote(text: string): string {
  return text.replace(/'/g, '’').replace(/[[\]:\\"$`]/g, ' ');
}
