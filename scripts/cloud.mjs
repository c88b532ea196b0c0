/** `npm run cloud`: the local cloud alone, in the foreground. */

import { untilEnded } from './process/shutdown-signal.mjs';
import { endWith, Stop } from './repository.mjs';
import { cloudOptions, readCloudFlags, readFlags } from './setup/flags.mjs';
import { refuseSecond, startCloud } from './setup/local-cloud.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { ensureSynthesis } from './setup/synthesis.mjs';

const usage = `Usage: npm run cloud -- [flags]
  --port-base N      first of the ports it uses (4566)
  --state DIR        where it keeps its state and endpoints.json (EDGEWISE_STATE, else .edgewise)
  --database NAME    dynoxide or dynamodb-local
  --stage NAME       which deployment it stands for (production)
  --stream-shards N  shards of each table's stream (1)
  --allow-host NAME  a name under which a tunnel or proxy leads here; may be repeated
  --parameter NAME=VALUE  of the stack; may be repeated`;

const stopGraceMs = 15_000;

async function main() {
  const values = readFlags(cloudOptions, usage);
  if (values.help) return console.log(usage);
  const flags = readCloudFlags(values);
  await refuseSecond(flags.state);
  const asked = untilEnded();
  ensurePackages();
  await ensureSynthesis(flags.stage);
  const { cloud, endpoints } = await startCloud(flags);
  console.log(`Local cloud ready: ${endpoints.api}  (${flags.state}/endpoints.json)`);
  const first = await Promise.race([asked.then(() => null), cloud.ended]);
  if (first !== null) {
    throw new Stop(
      `The local cloud ended by itself: ${cloud.lastLines().at(-1) ?? 'no reason given'}`,
    );
  }
  await cloud.stop(stopGraceMs);
}

await main().catch(endWith);
process.exit();
