/**
 * `npm run test:packages`: makes the packages of the present version, asks those who know packages
 * about them, and installs, upgrades and removes them in a Debian root, with work in flight.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTally } from './checks/test-runs.mjs';
import { root } from './repository.mjs';
import { ensureDebianRoot } from './setup/debian-root.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { ensureSynthesis } from './setup/synthesis.mjs';

const stepMsMax = 480_000;

await runTally(async (tally) => {
  ensurePackages();
  if (process.arch !== 'x64') {
    return tally.leaveOut('packages', `they are installed on x64, and this is ${process.arch}`);
  }
  const { ensurePackageMaker } = await import('./setup/package-maker.ts');
  const { reason: noMaker } = ensurePackageMaker();
  if (noMaker !== null) return tally.leaveOut('packages', noMaker);
  const debian = await tally.time('a Debian root', () => ensureDebianRoot());
  if (debian.folder === null) return tally.leaveOut('packages', debian.reason);
  const words = ['scripts/release.ts', '--dry-run', '--architecture', 'x64'];
  if (!(await tally.tool('packages are made', words, { timeoutMs: stepMsMax }))) return;
  await ensureSynthesis();
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  await tally.vitest('packages on a Debian root', ['--project', 'packages'], {
    env: {
      EDGEWISE_PACKAGES: join(root, 'dist', 'release', version),
      EDGEWISE_DEBIAN_ROOT: debian.folder,
    },
    timeoutMs: stepMsMax,
  });
});
