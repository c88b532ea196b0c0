import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { bashCompletion } from './bash-completion.ts';
import { loadCompletionTree } from './completion-tree.ts';
import { fishCompletion } from './fish-completion.ts';
import { zshCompletion } from './zsh-completion.ts';

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

export const command = defineCommand({
  name: 'completion',
  about: 'print the completion script of bash, zsh or fish',
  args: [{ name: 'SHELL', noun: 'text' }],
  flags: {},
  examples: [
    'source <(edgewise completion bash)',
    'edgewise completion fish > ~/.config/fish/completions/edgewise.fish',
  ],
  async run({ args, catalogue, terminal }) {
    const shell = args[0]!;
    if (shell !== 'bash' && shell !== 'zsh' && shell !== 'fish') {
      throw usage(
        `There is no completion for "${shell}".`,
        `It is one of ${Object.keys(shells).join(', ')}.`,
      );
    }
    terminal.out(shells[shell](await loadCompletionTree(catalogue)));
    return exitCode.ok;
  },
});
