import { catalogue } from './catalogue.ts';
import { type Command, type Flag, globalFlags } from './command.ts';
import { exitCode, exitMeaning } from './exit-code.ts';
import { argumentText, flagText } from './input/arguments.ts';

/**
 * The reference of the client as a page, made from the commands themselves. A test keeps
 * `docs/cli.md` the same.
 */
export async function cliReference(): Promise<string> {
  const loads = [...catalogue.commands.values()];
  const commands = await Promise.all(loads.map(async (load) => (await load()).command));
  const groups = [
    ...[...catalogue.nouns].map(([noun, about]) => ({
      title: `${noun}: ${about}`,
      commands: commands.filter((command) => command.name.startsWith(`${noun} `)),
    })),
    {
      title: 'Fleet and tools',
      commands: commands.filter((command) => !command.name.includes(' ')),
    },
  ];
  const parts = groups.map(({ title, commands: own }) => {
    return `## ${title}\n\n${own.map(commandPart).join('\n')}`;
  });
  return `${opening()}\n${parts.join('\n')}`;
}

function opening(): string {
  const flags = Object.entries(globalFlags).map(flagRow).join('');
  const codes = Object.entries(exitCode)
    .map(([name, code]) => `| ${code} | ${exitMeaning[name as keyof typeof exitCode]} |\n`)
    .join('');
  return `# Command line reference

\`edgewise <noun> <verb>\`; the shortcuts are \`submit\`, \`status\`, \`logs\`, \`watch\` and
\`explain\`. \`last\` stands for the newest job. Data goes to stdout, messages to stderr. A setting
comes from the flag, else the environment (\`EDGEWISE_API\`, \`EDGEWISE_TOKEN\`,
\`EDGEWISE_CONTEXT\`, \`EDGEWISE_OUTPUT\`), else the current context of
\`~/.config/edgewise/config.json\`, else the local cloud whose state is in \`EDGEWISE_STATE\`,
else that of this directory or one above it.

Lists take \`--columns\` and \`--sort\`, and \`-o csv\` with every column; ages and durations are
seconds there. With \`-o json\` an error is one value as well, on the last line of stderr:
\`{"error": {code, message, remedy, exitCode, status, errors, requestId}}\`. \`delete\` and \`rm\`
are understood for \`remove\`, \`ls\` for \`list\`, \`show\` and \`describe\` for \`get\`.

## Exit codes

| code | meaning |
|---|---|
${codes}
## Flags of every command

| flag | meaning |
|---|---|
${flags}`;
}

function commandPart(command: Command): string {
  const words = ['edgewise', command.name, ...command.args.map(argumentText)];
  if (command.rest !== undefined) words.push(`[-- ${command.rest}]`);
  const shortcut = command.shortcut === undefined ? '' : ` Also \`edgewise ${command.shortcut}\`.`;
  const flags = Object.entries(command.flags).map(flagRow);
  const table = flags.length === 0 ? '' : `\n| flag | meaning |\n|---|---|\n${flags.join('')}`;
  const examples = command.examples.map((example) => `${example}\n`).join('');
  return `### ${words.join(' ')}

${command.about.charAt(0).toUpperCase()}${command.about.slice(1)}.${shortcut}
${table}
\`\`\`sh
${examples}\`\`\`
`;
}

function flagRow([name, flag]: readonly [string, Flag]): string {
  return `| \`${flagText(name, flag)}\` | ${flag.about} |\n`.replace(/(?<=\S)\|(?=\S)/g, '\\|');
}
