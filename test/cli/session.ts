import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from '../../cli/run.ts';
import { adminSecret, startServedFleet } from './api/served-fleet.ts';
import { scriptedTerminal } from './scripted-terminal.ts';

/**
 * Plays a golden session: a text that is at once the script and what is expected of it. `$ ` is a
 * command, `! ` a line on stderr, `= ` an exit code, anything else a line on stdout. `# ` is a
 * comment or a stage direction:
 *
 *     # file NAME: CONTENT     writes a file of the session; http://api.test in it is the API
 *     # env NAME=VALUE         from here on
 *     # answers WORD…          what the user types next; makes the streams a terminal
 *     # interrupted after MS   Ctrl-C, so long after the next command began
 *
 * Between a command and its exit code such a line is what the command wrote.
 * Line ends of a file for spreadsheets are shown as those of a text.
 */
export async function playSession(script: string): Promise<string> {
  const api = await startServedFleet();
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-session-'));
  const env: Record<string, string> = { EDGEWISE_API: api.url, EDGEWISE_TOKEN: adminSecret };
  let answers: string[] | null = null;
  let interruptAfterMs: number | null = null;
  const played: string[] = [];
  let isOutput = false;
  try {
    for (const line of script.split('\n')) {
      if (line.startsWith('$ ')) isOutput = true;
      if (line.startsWith('= ')) isOutput = false;
      if (isOutput && line.startsWith('# ')) continue;
      if (line.startsWith('# ') || line === '') {
        if (played.at(-1)?.startsWith('= ') === true) played.push('');
        if (line !== '') played.push(line);
        answers = direct(line.replaceAll('http://api.test', api.url), directory, env) ?? answers;
        const interrupted = /^# interrupted after (\d+)$/.exec(line);
        if (interrupted !== null) interruptAfterMs = Number(interrupted[1]);
      }
      if (!line.startsWith('$ ')) continue;
      const interactive = answers !== null;
      const time = { startMs: api.nowMs(), pass: api.pass };
      const terminal = scriptedTerminal({
        ...{ directory, env, answers: answers ?? [], interactive },
        ...time,
        ...(interruptAfterMs !== null && { interruptAfterMs }),
      });
      answers = null;
      interruptAfterMs = null;
      const code = await run(splitWords(line).slice(2), terminal);
      if (played.at(-1)?.startsWith('= ') === true) played.push('');
      const shown = [[api.url, 'http://api.test'] as const, [directory, '/home/user'] as const];
      const unmasked = [...shown, ...api.drawn].reduce(
        (text, [from, to]) => text.replaceAll(from, to),
        terminal.written().replaceAll('\r\n', '\n'),
      );
      const written = unmasked.replace(/"requestId":"[^"]+"/g, '"requestId":"…"');
      played.push(line, ...written.split('\n').slice(0, -1));
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
  if (file !== null) {
    const path = join(directory, file[1]!);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file[2]!.replaceAll('\\n', '\n'));
  }
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
