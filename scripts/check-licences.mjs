/** Whether every package of others is under a licence that it may be used under, and shipped. */
import { licenceFaults } from './supply-chain/licences.mjs';
import { lockedPackages } from './supply-chain/lock-file.mjs';

const packages = lockedPackages();
const faults = licenceFaults(packages);
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error('What is allowed, and why, is in scripts/supply-chain/licences.mjs.');
  process.exitCode = 1;
} else console.log(`${packages.length} packages are under licences that are allowed.`);
