import { startNativeLauncher } from './native-launcher.ts';

/** The launcher as a program of its own; where it cannot be, whoever started it hears so. */
try {
  await startNativeLauncher({ socketPath: process.argv[2]!, directory: process.argv[3]! });
  process.exit(0);
} catch {
  process.exit(1);
}
