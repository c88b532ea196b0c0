import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Crowd, homeFiles, programs } from './crowd.ts';

declare module 'vitest' {
  interface ProvidedContext {
    crowd: Crowd;
  }
}

/** Builds the host before the tests of a project, and looks at what they leave behind. */
export function setup(project: TestProject): () => void {
  const place = mkdtempSync(join(tmpdir(), 'edgewise tests '));
  const crowd = {
    programs: join(place, 'bin'),
    home: join(place, 'home'),
    temporary: join(place, 'tmp'),
  };
  for (const directory of Object.values(crowd)) mkdirSync(directory);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(crowd.programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  for (const [name, text] of Object.entries(homeFiles)) {
    mkdirSync(dirname(join(crowd.home, name)), { recursive: true });
    writeFileSync(join(crowd.home, name), text);
  }
  project.provide('crowd', crowd);
  return () => {
    const left = readdirSync(crowd.temporary);
    rmSync(place, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`Tests left in their temporary directory: ${left}`);
  };
}
