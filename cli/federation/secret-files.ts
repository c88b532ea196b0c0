import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usage } from '../failure.ts';

/**
 * Where the secrets of new tokens go: `DIRECTORY/STAGE/TOKEN`, for their owner only, each whole or
 * not there. They are printed nowhere.
 */
export type SecretFiles = {
  /** Before the token is made, so that a directory that cannot be written to costs none. */
  prepare(stage: string, token: string): (secret: string) => void;
};

export function secretFilesIn(directory: string): SecretFiles {
  return {
    prepare: (stage, token) => {
      const folder = join(directory, stage);
      const path = join(folder, token);
      const beside = `${path}.new`;
      guarded(folder, () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        rmSync(beside, { force: true });
        writeFileSync(beside, '', { flag: 'wx', mode: 0o600 });
      });
      return (secret) =>
        guarded(path, () => {
          writeFileSync(beside, `${secret}\n`);
          renameSync(beside, path);
        });
    },
  };
}

function guarded(path: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usage(`${path} cannot be written (${code ?? error}).`);
  }
}
