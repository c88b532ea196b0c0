import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../cli/run.ts';
import { startApiDouble } from './api-double.ts';
import { scriptedTerminal } from './scripted-terminal.ts';

/**
 * Plays a golden session: a text that is at once the script and what is expected of it. `$ ` is a
 * command, `! ` a line on stderr, `= ` an exit code, anything else a line on stdout. `# ` is a
 * comment or a stage direction:
 *
 *     # file NAME: CONTENT     writes a file into the session's directory
 *     # env NAME=VALUE         from here on
 *     # answers WORD…          what the user types next; makes the streams a terminal
 */
export async function playSession(script: string): Promise<string> {
  const api = await startApiDouble();
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-session-'));
  const env: Record<string, string> = { EDGEWISE_API: api.url, EDGEWISE_TOKEN: 'admin' };
  let answers: string[] | null = null;
  const played: string[] = [];
  try {
    for (const line of script.split('\n')) {
      if (line.startsWith('# ') || line === '') {
        if (played.at(-1)?.startsWith('= ') === true) played.push('');
        if (line !== '') played.push(line);
        answers = direct(line, directory, env) ?? answers;
      }
      if (!line.startsWith('$ ')) continue;
      const interactive = answers !== null;
      const terminal = scriptedTerminal({ directory, env, answers: answers ?? [], interactive });
      answers = null;
      const code = await run(splitWords(line).slice(2), terminal);
      if (played.at(-1)?.startsWith('= ') === true) played.push('');
      const written = terminal.written().replaceAll(api.url, 'http://api.test');
      played.push(line, ...written.replaceAll(directory, '/home/user').split('\n').slice(0, -1));
      played.push(`= ${code}`);
    }
  } finally {
    await api.close();
    rmSync(directory, { recursive: true, force: true });
  }
  return `${played
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}

function direct(line: string, directory: string, env: Record<string, string>): string[] | null {
  const file = /^# file (\S+): (.*)$/.exec(line);
  if (file !== null) writeFileSync(join(directory, file[1]!), file[2]!.replaceAll('\\n', '\n'));
  const variable = /^# env (\w+)=(.*)$/.exec(line);
  if (variable !== null) env[variable[1]!] = variable[2]!;
  const said = /^# answers (.*)$/.exec(line);
  return said === null ? null : said[1]!.split(' ');
}

/** Words as a shell would split them; quotes group, nothing is expanded. */
function splitWords(line: string): string[] {
  const words = line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.map((word) => (/^['"]/.test(word) ? word.slice(1, -1) : word));
}
