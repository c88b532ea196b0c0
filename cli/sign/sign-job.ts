import { createPublicKey } from 'node:crypto';
import { formatPublicKey } from '../../edge-agent/host/public-key.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { parseDurationMs } from '../input/duration.ts';
import { readSpecFile } from '../input/spec-file.ts';
import { signatureMsMax } from '../limits.ts';
import { makeKeyFile, readKeyFile } from './key-file.ts';
import { signedBody } from './signed-body.ts';

export const command = defineCommand({
  name: 'sign',
  about: 'sign a job for edges that ask for it, or make a key; asks no API',
  args: [{ name: 'FILE', noun: 'file', optional: true }],
  flags: {
    key: { kind: 'text', value: 'KEY', noun: 'file', about: 'file with the private key' },
    'new-key': { kind: 'text', value: 'KEY', about: 'make a key, and write it to this new file' },
    for: { kind: 'text', value: 'TIME', about: 'edges start nothing of it after so long: 90m, 7d' },
  },
  examples: [
    'edgewise sign --new-key signing.pem',
    'edgewise sign --key signing.pem',
    'edgewise sign --key signing.pem --for 7d job.yaml > signed.json',
  ],
  async run({ args, flags, output, terminal }) {
    const [file] = args;
    const { key: known, 'new-key': made } = flags;
    if ((known === undefined) === (made === undefined)) {
      throw usage('Give either --key or --new-key.', 'edgewise sign --new-key signing.pem');
    }
    if (file === undefined && flags.for !== undefined) {
      throw usage('--for is about a job: give its file.');
    }
    const until = flags.for === undefined ? null : endOf(terminal.nowMs(), flags.for);
    const key =
      made === undefined ? readKeyFile(terminal, known ?? '') : makeKeyFile(terminal, made);
    const publicKey = formatPublicKey(createPublicKey(key));
    if (file === undefined) {
      output.single({ publicKey }, publicKey, () => `${publicKey}\n`);
      return exitCode.ok;
    }
    const signed = signedBody(await readSpecFile(terminal, file), key, until);
    output.single(signed, publicKey, () => `${JSON.stringify(signed, null, 2)}\n`);
    return exitCode.ok;
  },
});

/** To the second. */
function endOf(nowMs: number, words: string): string {
  const forMs = parseDurationMs(words, 'for');
  if (forMs > signatureMsMax) throw usage(`--for ${words} is more than ten years.`);
  return `${new Date(nowMs + forMs).toISOString().slice(0, 19)}Z`;
}
