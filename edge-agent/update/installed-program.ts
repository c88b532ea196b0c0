import { realpathSync } from 'node:fs';
import { agentVersion } from '../program/version.ts';
import type { Installed } from './update-program.ts';

/** What this process is an instance of: the agent alone, or the client with the agent in it. */
export function installedProgram(): Installed {
  const [, self, first] = process.argv;
  const isBinary = self === undefined || self.includes('$bunfs');
  const program = first === 'agent' ? 'edgewise' : 'edgewise-agent';
  return {
    name: `${program}-${process.platform}-${process.arch}`,
    version: agentVersion,
    path: isBinary ? realpathSync(process.execPath) : null,
  };
}
