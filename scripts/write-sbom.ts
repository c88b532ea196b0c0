import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './repository.mjs';
import { type Bill, billOf, wholeBill } from './supply-chain/bill-of-materials.ts';
import { shipments } from './supply-chain/shipments.ts';

/**
 * `npm run sbom`: bills of materials in CycloneDX, in `dist/sbom/`. `edgewise.cdx.json` has every
 * package of the lock file and what it is shipped in; the others have what is in one thing. The
 * same lock file and sources give the same files.
 */
const outputBytesMax = 2 ** 26;
const folder = join(root, 'dist', 'sbom');
const words = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
const npm = process.env.npm_execpath;
const [command, args] = npm === undefined ? ['npm', words] : [process.execPath, [npm, ...words]];
const written: Bill = JSON.parse(
  execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: outputBytesMax }),
);

const found = shipments();
const whole = wholeBill(written, found);
mkdirSync(folder, { recursive: true });
for (const [name, bill] of [
  ['edgewise', whole] as const,
  ...found.map((shipment) => [shipment.name, billOf(whole, shipment)] as const),
]) {
  const path = join(folder, `${name}.cdx.json`);
  writeFileSync(path, `${JSON.stringify(bill, null, 2)}\n`);
  console.log(`${path} (${bill.components.length} packages)`);
}
