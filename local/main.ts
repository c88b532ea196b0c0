/** `edgewise-local`: runs the local cloud until it is stopped. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArguments, usage } from './arguments.ts';
import type { Cloud } from './cloud.ts';
import { messageOf } from './failure.ts';

process.removeAllListeners('warning');
// What is kept here is for its owner only, whatever the shell allows.
process.umask(0o077);

async function main(): Promise<void> {
  const options = parseArguments(process.argv.slice(2));
  if (options === undefined) {
    console.log(usage);
    return;
  }
  const startedAtMs = performance.now() - process.uptime() * 1000;
  // Kept beside the packages: loading compiled modules is several times faster than loading
  // sources.
  enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'local-cloud'));
  const { startCloud } = await import('./cloud.ts');
  const cloud = await startCloud(options);
  stopOnSignals(cloud);
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(2);
  const { api, aws, mqtt } = cloud.endpoints;
  console.log(
    `Local cloud ready in ${seconds} s: API ${api}, AWS ${aws}, MQTT ${mqtt.host}:${mqtt.port}, ` +
      `state ${options.stateDir} (read over: ${cloud.ignoredCount}, see ignored.json)`,
  );
  flushCompileCache();
  const sentence = await cloud.failed;
  console.error(sentence);
  await cloud.stop();
  process.exit(1);
}

/** One Ctrl-C may arrive twice, from the terminal and from the program that started this one. */
const repeatedSignalMs = 1_000;

function stopOnSignals(cloud: Cloud): void {
  let askedAtMs: number | undefined;
  const stop = (): void => {
    const nowMs = performance.now();
    if (askedAtMs !== undefined) {
      // A second signal does not wait.
      if (nowMs - askedAtMs > repeatedSignalMs) process.exit(1);
      return;
    }
    askedAtMs = nowMs;
    cloud.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(messageOf(error));
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
}

main().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exit(1);
});
