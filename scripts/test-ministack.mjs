/**
 * `npm run test:ministack`: the unpatched stack on an emulator that nobody here wrote. A stage is
 * deployed by the command that users have, the flows run on it, others stand beside it, and nothing
 * is left when they are gone. With `--auth` it asks the policies of the template about every call.
 */
import { join } from 'node:path';
import { runTally } from './checks/test-runs.mjs';
import { root } from './repository.mjs';
import { startMiniStack } from './setup/ministack.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { ensurePythonTool } from './setup/python-tools.mjs';

const stepMsMax = 480_000;
const tests = 'test/ministack/';

/** What runs on a local cloud as well, and needs nothing that only that has. */
const flows = [
  'test/flow/walking-skeleton.test.ts',
  'test/flow/killed-edge.test.ts',
  'test/flow/no-edges-yet.test.ts',
  'test/flow/api/gateway.test.ts',
  'test/flow/cli/cli.test.ts',
];

await runTally(async (tally) => {
  ensurePackages();
  const { folder, reason } = ensurePythonTool('ministack');
  if (folder === null) return tally.leaveOut('MiniStack', reason);
  const enforces = process.argv.includes('--auth');
  const emulator = await tally.time('MiniStack', () => startMiniStack(folder, { enforces }));
  const deployed = join(root, 'dist', 'ministack-endpoints.json');
  const env = { ...emulator.env, EDGEWISE_MINISTACK: emulator.file };
  /** @param {string} title @param {readonly string[]} files @param {NodeJS.ProcessEnv} more */
  const run = (title, files, more = {}, runsAgain = false) =>
    tally.vitest(`MiniStack: ${title}`, ['--project', 'ministack', ...files], {
      env: { ...env, ...more },
      timeoutMs: stepMsMax,
      runsAgain,
    });
  try {
    if (enforces) return await run('policies are enforced', [`${tests}enforced.test.ts`]);
    const said = { EDGEWISE_ENDPOINTS: deployed };
    if (!(await run('a stage is deployed', [`${tests}deploy-stage.test.ts`], said))) return;
    await run('flows', flows, { EDGEWISE_DEPLOYED: deployed }, true);
    const names = ['live-events', 'event-rules', 'large-files'];
    const happens = names.map((name) => `${tests}${name}.test.ts`);
    await run('what happens', happens);
    await run('stages beside it', [`${tests}neighbours.test.ts`]);
    await run('the end of a stage', [`${tests}destroy-stage.test.ts`]);
  } finally {
    await emulator.stop();
  }
});
