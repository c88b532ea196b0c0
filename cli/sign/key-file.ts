import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

/**
 * A private key in a file that its owner alone can read: one that others could read is not used,
 * and none is ever printed or written over another.
 */
export function makeKeyFile(terminal: Terminal, file: string): KeyObject {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  try {
    writeFileSync(resolve(terminal.directory, file), pem, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      const remedy = 'A key is never written over another file: choose another name.';
      throw new Failure(exitCode.conflict, `There is a file ${file} already.`, remedy);
    }
    throw new Failure(exitCode.failure, `${file} cannot be written (${code ?? 'error'}).`);
  }
  return privateKey;
}

export function readKeyFile(terminal: Terminal, file: string): KeyObject {
  const text = readPrivately(resolve(terminal.directory, file), file);
  const remedy = 'Make one with edgewise sign --new-key FILE.';
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch {
    throw new Failure(exitCode.usage, `${file} holds no private key.`, remedy);
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new Failure(exitCode.usage, `${file} holds no key for Ed25519.`, remedy);
}

const forOthers = 0o077;

/** What was looked at is what is read. */
function readPrivately(path: string, file: string): string {
  let opened: number;
  try {
    opened = openSync(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? 'error'})`;
    throw new Failure(exitCode.usage, `The key ${file} ${why}.`);
  }
  try {
    if ((fstatSync(opened).mode & forOthers) !== 0) {
      const sentence = `The key ${file} can be read by others, so it is not used.`;
      throw new Failure(exitCode.usage, sentence, `Keep it to yourself: chmod 600 ${file}`);
    }
    return readFileSync(opened, 'utf8');
  } finally {
    closeSync(opened);
  }
}
