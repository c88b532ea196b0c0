import {
  type CompletionEntry,
  type CompletionFlag,
  type CompletionTree,
  namesOf,
} from './completion-tree.ts';

/**
 * PowerShell asks a block of script: what may stand here is looked up in tables, and names are
 * asked of the client. It serves `npx edgewise` as well.
 */
export function powershellCompletion(tree: CompletionTree): string {
  return `# edgewise completion for PowerShell; load it with:
#   edgewise completion powershell | Out-String | Invoke-Expression
$edgewiseWords = @{
${tree.firstWords.map(([word, about]) => `  ${quote(word)} = ${quote(about)}\n`).join('')}}
$edgewiseVerbs = @{
${verbLines(tree).join('')}}
$edgewiseFlags = @{
${tree.entries.map(flagLine).join('')}}
$edgewiseValues = @{
${tree.entries.flatMap(valueLines).join('')}}
$edgewiseNames = @{
${tree.entries.flatMap(nameLine).join('')}}
$edgewiseCompleter = {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object { $_.ToString() })
  $client = @($typed | Select-Object -First 1)
  $words = @($typed | Select-Object -Skip 1)
  if ($client -match 'npx(\\.cmd|\\.ps1)?$') {
    if ($words.Count -eq 0 -or $words[0] -ne 'edgewise') { return }
    $client = @('npx', 'edgewise')
    $words = @($words | Select-Object -Skip 1)
  }
  $path = if ($words.Count -gt 0) { $words[0] } else { '' }
  $found = @{}
  if ($words.Count -eq 0) {
    $found = $edgewiseWords
  } elseif ($words.Count -eq 1 -and $edgewiseVerbs.ContainsKey($path)) {
    $edgewiseVerbs[$path] | ForEach-Object { $found[$_] = $_ }
  } else {
    if ($edgewiseVerbs.ContainsKey($path)) { $path = $words[0] + ' ' + $words[1] }
    $flag = $path + ' ' + $words[-1]
    $asked = if ($edgewiseNames.ContainsKey($flag)) { $edgewiseNames[$flag] }
      elseif ($edgewiseNames.ContainsKey($path)) { $edgewiseNames[$path] }
    if ($edgewiseValues.ContainsKey($flag)) {
      $edgewiseValues[$flag] | ForEach-Object { $found[$_] = $_ }
    } elseif ($wordToComplete -like '-*') {
      $edgewiseFlags[$path] | ForEach-Object { $found[$_] = $_ }
    } elseif ($asked) {
      $command = @($client) + @($asked -split ' ')
      & $command[0] @($command | Select-Object -Skip 1) 2>$null |
        ForEach-Object { $found[$_] = $_ }
      if ($asked -like 'job list*') { $found['last'] = 'the newest job' }
    }
  }
  $found.GetEnumerator() | Where-Object { $_.Key -like "$wordToComplete*" } |
    Sort-Object -Property Key | ForEach-Object {
      [System.Management.Automation.CompletionResult]::new(
        $_.Key, $_.Key, 'ParameterValue', $_.Value)
    }
}
Register-ArgumentCompleter -Native -CommandName edgewise -ScriptBlock $edgewiseCompleter
Register-ArgumentCompleter -Native -CommandName npx -ScriptBlock $edgewiseCompleter
`;
}

function verbLines({ entries }: CompletionTree): string[] {
  const verbs = new Map<string, string[]>();
  for (const { words } of entries) {
    const [noun, verb] = words.split(' ');
    if (noun === undefined || verb === undefined) continue;
    verbs.set(noun, [...(verbs.get(noun) ?? []), verb]);
  }
  return [...verbs].map(([noun, names]) => `  ${quote(noun)} = ${listOf(names)}\n`);
}

function flagLine({ words, flags }: CompletionEntry): string {
  return `  ${quote(words)} = ${listOf(flags.map(({ name }) => `--${name}`))}\n`;
}

function valueLines(entry: CompletionEntry): string[] {
  const chosen = entry.flags.filter(({ choices, takesValue }) => takesValue && choices.length > 0);
  return chosen.flatMap((flag) =>
    placesOf(entry, flag).map((place) => `  ${quote(place)} = ${listOf(flag.choices)}\n`),
  );
}

/** How names are asked for where an argument stands, and after each flag that takes one. */
function nameLine(entry: CompletionEntry): string[] {
  const asked = (noun: CompletionEntry['argument']) =>
    noun === null ? undefined : namesOf[noun]?.replace(/^edgewise /, '');
  const own = asked(entry.argument);
  const first = own === undefined ? [] : [`  ${quote(entry.words)} = ${quote(own)}\n`];
  const others = entry.flags.flatMap((flag) => {
    const names = flag.choices.length > 0 ? undefined : asked(flag.noun);
    if (names === undefined) return [];
    return placesOf(entry, flag).map((place) => `  ${quote(place)} = ${quote(names)}\n`);
  });
  return [...first, ...others];
}

/** A table of PowerShell does not tell `-s` from `-S`; no command of the client has both. */
function placesOf({ words }: CompletionEntry, { name, short }: CompletionFlag): string[] {
  const long = `${words} --${name}`;
  return short === null ? [long] : [long, `${words} -${short}`];
}

function listOf(words: readonly string[]): string {
  return `@(${words.map(quote).join(', ')})`;
}

/** PowerShell takes the quotes of typography for its own. */
function quote(text: string): string {
  return `'${text.replaceAll(/['‘’‚‛]/g, "''")}'`;
}
