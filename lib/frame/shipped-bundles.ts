import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Bundles, Sdk } from './bundle.ts';

/**
 * Takes the place of `bundle.ts` in the package that others install: there the functions are built
 * already and lie beside the construct, so that an app of theirs needs neither our sources nor a
 * bundler.
 */
export function sdkOf(context: unknown): Sdk {
  if (context === undefined || context === 'lean') return 'lean';
  throw new Error('edgewise:sdk is for those who build the functions from their sources');
}

export function handlerBundles(_sdk: Sdk): Bundles {
  return {
    directoryOf(name) {
      const directory = join(import.meta.dirname, 'functions', name);
      if (!existsSync(directory)) throw new Error(`${directory} is missing: install it again`);
      return directory;
    },
  };
}
