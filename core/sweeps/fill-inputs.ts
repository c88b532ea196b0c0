import { clashOf, pathProblem } from '../files/file-path.ts';
import { digestPattern } from '../files/manifest.ts';
import type { JobInput } from '../model/job.ts';
import { fillTemplate, type TemplateValues } from './template.ts';

/**
 * The inputs of one chunk: names in braces in a path, or in the place of a digest, replaced by what
 * it was given. A value may come from anywhere, so what it makes is looked at again.
 */
export function fillInputs(
  inputs: readonly JobInput[],
  values: TemplateValues,
): readonly JobInput[] | string {
  const filled: JobInput[] = [];
  for (const input of inputs) {
    const path = fillTemplate(input.path, values);
    const problem = pathProblem(path.replace(/\/$/, ''));
    if (problem !== null) return `a value makes a path that ${problem}`;
    const { sha256, manifest } = input;
    const own: { sha256?: string; manifest?: string } = {};
    if (sha256 !== undefined) own.sha256 = fillTemplate(sha256, values);
    if (manifest !== undefined) own.manifest = fillTemplate(manifest, values);
    if (!digestPattern.test(own.sha256 ?? own.manifest ?? '')) {
      return `the value of ${sha256 ?? manifest} is no SHA-256`;
    }
    filled.push({ ...input, path, ...own });
  }
  const clash = clashOf(filled.map(({ path }) => path.replace(/\/$/, '')));
  if (clash === null) return filled;
  return `values make "${clash[0]}" and "${clash[1]}", which cannot both be there`;
}

/** Which file it is says a parameter of the chunk. */
export function hasNamedDigest({ sha256, manifest }: JobInput): boolean {
  return (sha256 ?? manifest ?? '').startsWith('{');
}

/** Whether inputs may differ from chunk to chunk; a brace that is none counts. */
export function inputsHaveNames(inputs: readonly JobInput[]): boolean {
  return inputs.some((input) => input.path.includes('{') || hasNamedDigest(input));
}
