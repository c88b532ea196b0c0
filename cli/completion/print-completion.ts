import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { bashCompletion } from './bash-completion.ts';
import { loadCompletionTree } from './completion-tree.ts';
import { fishCompletion } from './fish-completion.ts';
import { powershellCompletion } from './powershell-completion.ts';
import { zshCompletion } from './zsh-completion.ts';

const shells = new Map([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
  ['powershell', powershellCompletion],
]);

export const command = defineCommand({
  name: 'completion',
  about: 'print the completion script of bash, zsh, fish or PowerShell',
  args: [{ name: 'SHELL', noun: 'text' }],
  flags: {},
  examples: [
    'source <(edgewise completion bash)',
    'edgewise completion powershell | Out-String | Invoke-Expression',
    'edgewise completion fish > ~/.config/fish/completions/edgewise.fish',
  ],
  async run({ args, catalogue, terminal }) {
    const shell = args[0]!;
    const scriptOf = shells.get(shell);
    if (scriptOf === undefined) {
      throw usage(
        `There is no completion for "${shell}".`,
        `It is one of ${[...shells.keys()].join(', ')}.`,
      );
    }
    terminal.out(scriptOf(await loadCompletionTree(catalogue)));
    return exitCode.ok;
  },
});
