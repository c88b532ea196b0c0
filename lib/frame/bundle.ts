import { globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

/**
 * Bundles every handler at once: one esbuild run for all of them takes less time than one process
 * start each.
 *
 * A file under `lambdas/functions/` is a function; its bundle is one minified module with its
 * client of AWS inside, so that what runs locally is what runs deployed. Source maps carry no
 * sources.
 */
export type Bundles = {
  /** The folder with the bundle of `lambdas/functions/<name>.ts`. */
  directoryOf(name: string): string;
};

const root = join(import.meta.dirname, '../..');

/** Which client of AWS functions are bundled with. */
export type Sdk = 'lean' | 'official';

/** As `-c edgewise:sdk=…` says; without it, lean. */
export function sdkOf(context: unknown): Sdk {
  if (context === undefined || context === 'lean') return 'lean';
  if (context === 'official') return 'official';
  throw new Error(`edgewise:sdk must be lean or official, not ${String(context)}`);
}

/** What takes the place of the SDK's packages, and of its search for credentials in those left. */
const leanClients = {
  '@aws-sdk/client-dynamodb': './adapters/aws/dynamodb-client.ts',
  '@aws-sdk/client-eventbridge': './adapters/aws/eventbridge-client.ts',
  '@aws-sdk/client-iot-data-plane': './adapters/aws/iot-data-plane-client.ts',
  '@aws-sdk/client-secrets-manager': './adapters/aws/secrets-manager-client.ts',
  '@aws-sdk/client-sqs': './adapters/aws/sqs-client.ts',
  '@aws-sdk/credential-provider-node': './adapters/aws/environment-credentials.ts',
};

const standIns = {
  // Its build for Node is CommonJS and asks for modules at run time, which a module has no way to
  // do.
  yaml: './node_modules/yaml/browser/index.js',
};

const built = new Map<Sdk, Bundles>();

/** The bundles of this process; built when the first function asks. */
export function handlerBundles(sdk: Sdk): Bundles {
  const bundles = built.get(sdk) ?? buildBundles(sdk);
  built.set(sdk, bundles);
  return bundles;
}

/** `api/jobs-read`, `schedule`: where each is below `lambdas/functions/`. */
export function functionNames(): string[] {
  return globSync('**/*.ts', { cwd: join(root, 'lambdas/functions') })
    .map((file) => file.replaceAll('\\', '/').replace(/\.ts$/, ''))
    .sort();
}

/** What decides which code is in a bundle. */
export function bundleOptions(sdk: Sdk): BuildOptions {
  return {
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    // The same by shorter names, which minifying leaves as they are.
    define: { 'Number.POSITIVE_INFINITY': 'Infinity', 'Number.parseInt': 'parseInt' },
    alias: sdk === 'lean' ? { ...standIns, ...leanClients } : standIns,
  };
}

function buildBundles(sdk: Sdk): Bundles {
  // The process id keeps two runs apart; the depth stays the same, because source maps name
  // relative paths.
  const outdir = join(root, 'dist', `bundles-${sdk}-${process.pid}`);
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  const names = new Set(writeBundles(sdk, outdir));
  return {
    directoryOf(name) {
      if (!names.has(name)) throw new Error(`there is no lambdas/functions/${name}.ts`);
      return join(outdir, name);
    },
  };
}

/** One folder for each function, as `functionNames` says. */
export function writeBundles(sdk: Sdk, outdir: string): string[] {
  const names = functionNames();
  mkdirSync(outdir, { recursive: true });
  buildSync({
    ...bundleOptions(sdk),
    entryPoints: Object.fromEntries(
      names.map((name) => [join(name, 'index'), `lambdas/functions/${name}.ts`]),
    ),
    outdir,
    outExtension: { '.js': '.mjs' },
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
  });
  return names;
}
