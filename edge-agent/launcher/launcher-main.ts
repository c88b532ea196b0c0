import { runLauncher } from './launcher-program.ts';

/** The launcher as a program of its own, when the agent runs from source. */
runLauncher({ socketPath: process.argv[2]!, directory: process.argv[3]! });
