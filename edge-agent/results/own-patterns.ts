import { shownChunk, shownJob } from '../../core/federation/chunk-offsets.ts';
import { patternProblem } from '../../core/files/result-pattern.ts';
import { rangeOf } from '../../core/model/ranges.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { fillPatterns, haveNames, needParameters } from '../../core/sweeps/fill-patterns.ts';
import type { Parameters } from '../../core/sweeps/parameters.ts';
import { parametersAt } from '../../core/sweeps/sweep.ts';
import type { ChunkName } from '../executors/executor.ts';
import type { ControlPlaneApi } from '../link/control-plane-api.ts';
import { ResultFault } from './result-fault.ts';

/**
 * The patterns of one chunk: names in braces replaced by what it was given. Its parameters are
 * asked for again, because the agent that started it may be gone.
 */
export async function ownPatternsOf(
  { job, chunk }: ChunkName,
  spec: AgentSpec,
  secret: () => string,
  api: Pick<ControlPlaneApi, 'getParameters'>,
): Promise<readonly string[]> {
  const patterns = spec.outputs?.paths ?? [];
  if (!haveNames(patterns)) return patterns;
  const parametersOf = async (): Promise<Parameters | null> => {
    if (spec.sweep !== true) return null;
    if (!needParameters(patterns)) return new Map();
    if (spec.params !== undefined) return parametersAt(spec.params, chunk);
    const known = await api.getParameters(secret(), job, rangeOf(chunk, chunk + 1));
    const own = known.get(chunk);
    if (own === undefined) throw new Error('the API does not say the parameters of the chunk');
    return own;
  };
  const shown = { job: shownJob(spec, job), chunk: shownChunk(spec, chunk) };
  const own = fillPatterns(patterns, { ...shown, parameters: await parametersOf() });
  for (const pattern of own) {
    const problem = patternProblem(pattern);
    if (problem !== null) throw new ResultFault(`a value makes a pattern that ${problem}`);
  }
  return own;
}
