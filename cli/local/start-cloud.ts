import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { localStartMsMax, pollFirstMs } from '../limits.ts';
import { type Endpoints, readEndpoints } from './endpoints-file.ts';
import { isAlive } from './process-life.ts';
import { repositoryFile } from './repository.ts';

/** In the background, on purpose outliving this command; `edgewise down` ends it. */
export const command = defineCommand({
  name: 'up',
  about: 'start the local cloud in the background',
  args: [],
  flags: {
    state: {
      kind: 'text',
      value: 'DIR',
      about: 'where it keeps its state (EDGEWISE_STATE, else .edgewise)',
    },
    'port-base': { kind: 'number', value: 'N', min: 1024, max: 65_000, about: 'first port (4566)' },
    database: {
      kind: 'text',
      value: 'NAME',
      choices: ['dynoxide', 'dynamodb-local'],
      about: 'the one that starts without Java, or that of AWS',
    },
    stage: { kind: 'text', value: 'NAME', about: 'deployment it stands for (production)' },
  },
  examples: ['edgewise up && edgewise fleet 10 20', 'edgewise down'],
  async run({ flags, output, terminal }) {
    const state = resolve(
      terminal.directory,
      flags.state ?? (terminal.env.EDGEWISE_STATE || '.edgewise'),
    );
    const file = join(state, 'endpoints.json');
    const running = readEndpoints(file);
    if (running !== null && isAlive(running.pid)) {
      terminal.say('It runs already.');
      return show(running);
    }
    const script = repositoryFile('scripts/cloud.mjs');
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const logPath = join(state, 'cloud.log');
    const log = openSync(logPath, 'w');
    const ports = flags['port-base'] === undefined ? [] : ['--port-base', `${flags['port-base']}`];
    const database = flags.database === undefined ? [] : ['--database', flags.database];
    const stage = flags.stage === undefined ? [] : ['--stage', flags.stage];
    const words = [script, '--state', state, ...ports, ...database, ...stage];
    const child = spawn(process.execPath, words, {
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    let ended = false;
    child.on('exit', () => {
      ended = true;
    });
    const startMs = terminal.nowMs();
    while (terminal.nowMs() - startMs < localStartMsMax && !terminal.interrupted.aborted) {
      const ready = readEndpoints(file);
      if (ready !== null && isAlive(ready.pid)) {
        child.unref();
        return show(ready);
      }
      if (ended) break;
      await terminal.sleep(pollFirstMs);
    }
    if (!ended) child.kill('SIGTERM');
    throw new Failure(exitCode.failure, lastLine(logPath), `All it said: ${logPath}`);

    function show(endpoints: Endpoints) {
      const { api, pid } = endpoints;
      output.single({ api, pid, file }, api, () => `${api}\n`);
      return exitCode.ok;
    }
  },
});

function lastLine(path: string): string {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.at(-1) || 'The local cloud did not start.';
}
