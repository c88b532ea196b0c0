import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ReleasedProgram,
  type ReleaseManifest,
  releaseText,
} from '../../core/protocol/release-manifest.ts';
import { formatPublicKey } from '../../edge-agent/host/public-key.ts';

/** The text of `manifest.json`, by which agents update themselves. */
export function signManifest(
  content: Omit<ReleaseManifest, 'signature'>,
  privateKey: KeyObject,
): string {
  const value = sign(null, Buffer.from(releaseText(content)), privateKey).toString('base64url');
  const key = formatPublicKey(createPublicKey(privateKey));
  const programs = Object.fromEntries(content.programs);
  return `${JSON.stringify({ ...content, programs, signature: { key, value } }, null, 2)}\n`;
}

type Release = {
  /** Where the programs are. */
  readonly built: string;
  /** Where what people install is collected. */
  readonly folder: string;
  readonly version: string;
  readonly madeAt: string;
  readonly signer: KeyObject;
};

const isProgram = (name: string): boolean => /^edgewise(-agent)?-linux-(x64|arm64)$/.test(name);

/** The programs as they are, beside the manifest that names them. */
export function writeManifest({ built, folder, version, madeAt, signer }: Release): void {
  const programs = new Map<string, ReleasedProgram>();
  for (const name of readdirSync(built).filter(isProgram)) {
    const bytes = readFileSync(join(built, name));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    programs.set(name, { bytes: bytes.length, sha256 });
    copyFileSync(join(built, name), join(folder, name));
  }
  const text = signManifest({ version, madeAt, programs }, signer);
  writeFileSync(join(folder, 'manifest.json'), text);
}
