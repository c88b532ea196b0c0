import { dirname, join } from 'node:path';
import { usage } from '../failure.ts';
import { findEndpoints } from '../local/endpoints-file.ts';
import type { Given, Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

/**
 * The environment an agent is given by this client: what the user set, and where that says nothing,
 * the API this client would use. Beside a local cloud the agents keep their state next to that
 * cloud's, so that both are forgotten together.
 */
export function agentEnvironment(
  { env, directory }: Terminal,
  { api, token }: Settings,
  tokenGiven: string | undefined,
): Record<string, string | undefined> {
  const filled: Record<string, string | undefined> = { ...env };
  if (api !== null) filled.EDGEWISE_API = api;
  if (tokenGiven !== undefined) filled.EDGEWISE_ENROL_TOKEN = tokenGiven;
  else if (token !== null && !filled.EDGEWISE_ENROL_TOKEN_FILE) {
    filled.EDGEWISE_ENROL_TOKEN ||= token;
  }
  const local = findEndpoints(directory, env.EDGEWISE_STATE);
  if (local !== null && local.api === filled.EDGEWISE_API) {
    filled.EDGEWISE_DATA ||= join(dirname(local.path), 'edges');
  }
  return filled;
}

const clientFlags = ['api', 'token', 'context'] as const;

/**
 * Takes the flags that every command has out of the words of an agent, which has a parser of its
 * own and knows of one address and one token only.
 */
export function takeClientFlags(argv: readonly string[]): { words: string[]; given: Given } {
  const given: Record<string, string> = {};
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    const name = clientFlags.find((flag) => word === `--${flag}` || word.startsWith(`--${flag}=`));
    if (name === undefined) {
      words.push(word);
      continue;
    }
    const value = word.includes('=') ? word.slice(word.indexOf('=') + 1) : argv[++at];
    if (value === undefined || value === '') throw usage(`--${name} needs a value.`);
    given[name] = value;
  }
  return { words, given: { api: given.api, token: given.token, context: given.context } };
}
