import { dirname, join } from 'node:path';
import type { Call } from '../command.ts';
import { findEndpoints } from '../local/endpoints-file.ts';

/**
 * The environment an agent is given by this client: what the user set, and where that says nothing,
 * the API this client would use. Beside a local cloud the agents keep their state next to that
 * cloud's, so that both are forgotten together.
 */
export function agentEnvironment(call: Call): Record<string, string | undefined> {
  const { env, directory } = call.terminal;
  const filled: Record<string, string | undefined> = { ...env };
  const { api, token } = call.settings();
  if (api !== null) filled.EDGEWISE_API ||= api;
  if (token !== null) filled.EDGEWISE_ENROL_TOKEN ||= token;
  const local = findEndpoints(directory);
  if (local !== null && local.api === filled.EDGEWISE_API) {
    filled.EDGEWISE_DATA ||= join(dirname(local.path), 'edges');
  }
  return filled;
}
