import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentOptions, makeDirectory, type RunningAgent, startAgent } from './agent-runner.ts';
import { type ControlPlaneDouble, startControlPlane } from './control-plane-double.ts';

let controlPlane: ControlPlaneDouble;
let directories: { path: string; remove: () => void }[];
let agents: RunningAgent[];

beforeEach(async () => {
  controlPlane = await startControlPlane();
  directories = [makeDirectory(), makeDirectory()];
  agents = [];
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
  await controlPlane.stop();
  for (const directory of directories) directory.remove();
});

function start(at: number): RunningAgent {
  const agent = startAgent(agentOptions(controlPlane, directories[at]!.path));
  agents.push(agent);
  return agent;
}

/** How often an agent reports after another one did that had reported after it. */
function returns(boots: readonly string[]): number {
  const turns = boots.filter((boot, at) => boot !== boots[at - 1]);
  return turns.filter((boot, at) => turns.slice(0, at).includes(boot)).length;
}

test('two agents that take the connection from each other are both there long enough to report', async () => {
  start(0);
  await controlPlane.until(() => controlPlane.reports.length > 0, 'the first reports');
  const [original, copy] = directories.map(({ path }) => join(path, 'edge-1'));
  const isState = (path: string) => !/lock|sock/.test(path.slice(original!.length));
  cpSync(original!, copy!, { recursive: true, filter: isState });
  start(1);
  const boots = () => controlPlane.reports.map(({ boot }) => boot);
  await controlPlane.until(() => returns(boots()) >= 3, 'both report in turns');
  expect(new Set(boots()).size).toBe(2);
});
