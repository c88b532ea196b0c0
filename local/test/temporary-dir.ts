import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty state directory; whoever asked for it removes it. */
export function temporaryDir(): string {
  return mkdtempSync(join(tmpdir(), 'local-cloud-'));
}
