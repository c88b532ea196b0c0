import { writeFileSync } from 'node:fs';
import { cliReference } from '../cli/reference.ts';

/** `npm run docs:cli`: writes `docs/cli.md` anew after a command has changed. */
writeFileSync(new URL('../docs/cli.md', import.meta.url), await cliReference());
