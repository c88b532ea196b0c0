import type { JobBody } from '../../../../core/contract/job-body.ts';
import { ProblemError } from '../../../../core/contract/problem.ts';
import { writtenSweepOf } from '../../../../core/contract/sweeps/params-body.ts';
import { filesAskedMax, manifestBytesMax } from '../../../../core/files/limits.ts';
import { parseManifest } from '../../../../core/files/manifest.ts';
import type { JobInput } from '../../../../core/model/job.ts';
import type { Files } from '../../../../core/ports/files.ts';
import {
  fillInputs,
  hasNamedDigest,
  inputsHaveNames,
} from '../../../../core/sweeps/fill-inputs.ts';
import { countOf, parametersAt } from '../../../../core/sweeps/sweep.ts';
import { freshFiles } from '../../files/fresh-files.ts';
import { storedJson } from '../../http/json-body.ts';

/**
 * A job whose files are not there would wait for them for ever: it is refused at once. Of very
 * large trees only the list is looked at; what is missing of them an edge says, and so it does of
 * what it fetches elsewhere.
 */
export async function checkInputs(body: JobBody, files: Files, nowMs: number): Promise<void> {
  const wanted: { readonly pointer: string; readonly digest: string }[] = [...namedIn(body)];
  for (const [at, input] of body.inputs.entries()) {
    const { sha256, manifest, url } = input;
    if (hasNamedDigest(input as JobInput)) continue;
    if (sha256 !== undefined && url === undefined) {
      wanted.push({ pointer: `/inputs/${at}/sha256`, digest: sha256 });
    }
    if (manifest === undefined) continue;
    const pointer = `/inputs/${at}/manifest`;
    wanted.push({ pointer, digest: manifest });
    for (const digest of await digestsOf(body.pool, manifest, pointer, files)) {
      wanted.push({ pointer, digest });
    }
  }
  if (wanted.length === 0) return;
  const looked = wanted.slice(0, filesAskedMax);
  const digests = looked.map(({ digest }) => digest);
  const fresh = await freshFiles(files, body.pool, digests, nowMs);
  const absent = looked.find(({ digest }) => !fresh.has(digest));
  if (absent !== undefined) throw missing(absent.pointer, `The file ${absent.digest}`);
}

/** Of chunks whose own parameters say which files they need; of a file of them an edge says it. */
function namedIn({ inputs, params }: JobBody): { pointer: string; digest: string }[] {
  const sweep = params === undefined ? null : writtenSweepOf(params);
  if (sweep === null || !inputsHaveNames(inputs as readonly JobInput[])) return [];
  const digests = new Map<string, string>();
  for (let chunk = 0; chunk < Math.min(countOf(sweep), filesAskedMax); chunk++) {
    const values = { job: 'job', chunk, parameters: parametersAt(sweep, chunk) };
    const own = fillInputs(inputs as readonly JobInput[], values);
    if (typeof own === 'string') throw refused(`Of chunk ${chunk} ${own}.`);
    for (const [at, { sha256, manifest }] of own.entries()) {
      if (!hasNamedDigest(inputs[at] as JobInput)) continue;
      const field = sha256 === undefined ? 'manifest' : 'sha256';
      digests.set(sha256 ?? manifest ?? '', `/inputs/${at}/${field}`);
    }
  }
  return [...digests].map(([digest, pointer]) => ({ pointer, digest }));
}

function refused(message: string): ProblemError {
  return new ProblemError('invalid-request', message, {
    errors: [{ pointer: '/inputs', message }],
  });
}

async function digestsOf(
  pool: string,
  manifest: string,
  pointer: string,
  files: Files,
): Promise<string[]> {
  const bytes = await files.read(pool, manifest, manifestBytesMax);
  if (bytes === null) throw missing(pointer, `The list ${manifest}`);
  const tree = parseManifest(storedJson(bytes));
  if (typeof tree !== 'string') return tree.files.map(({ sha256 }) => sha256);
  const message = `This is no list of files: ${tree}.`;
  throw new ProblemError('invalid-request', message, { errors: [{ pointer, message }] });
}

function missing(pointer: string, what: string): ProblemError {
  const message = `${what} is not stored in this pool, or not for long enough; send it first.`;
  return new ProblemError('input-missing', message, { errors: [{ pointer, message }] });
}
