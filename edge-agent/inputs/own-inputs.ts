import type { JobInput } from '../../core/model/job.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { fillInputs, hasNamedDigest, inputsHaveNames } from '../../core/sweeps/fill-inputs.ts';
import type { TemplateValues } from '../../core/sweeps/template.ts';

/**
 * The inputs of a job whose chunks do not all get the same. What is the same for all of them is
 * fetched for the job; where parameters say which files a chunk needs, they are fetched for the
 * chunk, as if it were a job of its own: the hash of its spec has its number behind it.
 */
const numberMark = '#';

/** What is fetched for all chunks. */
export function sharedInputs(spec: AgentSpec): AgentSpec {
  const { inputs } = spec;
  if (inputs === undefined || !inputs.some(hasNamedDigest)) return spec;
  return { ...spec, inputs: inputs.filter((input) => !hasNamedDigest(input)) };
}

/** The spec by which one chunk runs, as far as its inputs go; or why there is none. */
export function withOwnInputs(
  spec: AgentSpec,
  chunk: number,
  values: TemplateValues,
): AgentSpec | string {
  const { inputs } = spec;
  if (inputs === undefined || !inputsHaveNames(inputs)) return spec;
  const own = fillInputs(inputs, values);
  if (typeof own === 'string') return own;
  const isNamed = inputs.some(hasNamedDigest);
  return { ...spec, inputs: own, ...(isNamed && { hash: `${spec.hash}${numberMark}${chunk}` }) };
}

export function isOwn({ hash }: AgentSpec): boolean {
  return hash.includes(numberMark);
}

export function chunkOfKey(key: string): number | undefined {
  const at = key.lastIndexOf(numberMark);
  return at < 0 ? undefined : Number(key.slice(at + 1));
}

export function jobKeyOf(key: string): string {
  const at = key.lastIndexOf(numberMark);
  return at < 0 ? key : key.slice(0, at);
}

/** Where a file of the input with this number lies. */
export function placeOf(
  inputs: readonly JobInput[],
  { input, below }: { readonly input: number; readonly below: string },
): string {
  const path = inputs[input]?.path.replace(/\/$/, '') ?? '';
  return below === '' ? path : `${path}/${below}`;
}
