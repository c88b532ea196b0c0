import { verify } from 'node:crypto';
import { compareVersions } from '../../core/model/versions.ts';
import {
  parseReleaseManifest,
  type ReleasedProgram,
  releaseText,
} from '../../core/protocol/release-manifest.ts';
import type { UpdatesRule } from './updates-rule.ts';

/** What a release is to the program that asks. */
export type Verdict =
  | { readonly kind: 'take'; readonly version: string; readonly program: ReleasedProgram }
  | { readonly kind: 'newest'; readonly version: string }
  | { readonly kind: 'refused'; readonly why: string };

/** The program as it is now: its name in a release, and its version. */
export type Present = { readonly name: string; readonly version: string };

/**
 * An older release is never taken, however well it is signed: whoever serves releases could
 * otherwise bring back one whose faults are known.
 */
export function judgeRelease(found: unknown, { keys }: UpdatesRule, present: Present): Verdict {
  const manifest = parseReleaseManifest(found);
  if (manifest === null) return refused('what lies there is no manifest of a release');
  const { version, signature } = manifest;
  const key = keys.get(signature.key);
  if (key === undefined) return refused('it is signed with a key that is not trusted here');
  const value = Buffer.from(signature.value, 'base64url');
  if (!verify(null, Buffer.from(releaseText(manifest)), key, value)) {
    return refused('it is not as it was signed');
  }
  if (compareVersions(version, present.version) <= 0) return { kind: 'newest', version };
  const program = manifest.programs.get(present.name);
  if (program === undefined) return refused(`${version} has no ${present.name}`);
  return { kind: 'take', version, program };
}

const refused = (why: string): Verdict => ({ kind: 'refused', why });
