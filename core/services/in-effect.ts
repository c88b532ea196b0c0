import type { CellJob, Intent } from '../model/cell.ts';
import type { ExecutorName, Run } from '../model/job.ts';
import { executorOf } from '../model/job.ts';
import { type Rollout, rolloutTowards } from './rollout.ts';
import type { EarlierGeneration } from './rollout-wish.ts';

/**
 * The intent of a service by which its instances are placed now: that of the generation which they
 * are brought to. While some run another one, each reserves the most that any of these asks for, so
 * that an edge has room for whichever comes first.
 */
export function inEffect(intent: Intent, rollout: Rollout | undefined): Intent {
  if (rollout === undefined) return intent;
  const target = knownGeneration(intent, rollout.generation) ?? wantedOf(intent);
  const others = [...rollout.due.keys()].flatMap((it) => knownGeneration(intent, it) ?? []);
  return asAsked(intent, target, mostOf([target, ...others].map((it) => it.resources)));
}

/** By what one generation asks for; what is reserved stays as it is `inEffect`. */
export function asGeneration(stored: Intent, generation: number, effective: Intent): Intent {
  const known = knownGeneration(stored, generation);
  return known === null ? effective : asAsked(stored, known, effective.spec.resources);
}

function asAsked(
  intent: Intent,
  { generation, requires, specHash, executor }: EarlierGeneration,
  resources: Readonly<Record<string, number>>,
): Intent {
  const isWanted = generation === wantedOf(intent).generation;
  const run = isWanted ? intent.spec.run : standInFor(executor, intent.spec.run);
  return { ...intent, specHash, spec: { ...intent.spec, requires, resources, run } };
}

/** Of a job as it is stored, before a pass has seen what its user wants now. */
export function intentNow({ intent, slice }: Pick<CellJob, 'intent' | 'slice'>): Intent {
  return inEffect(intent, rolloutTowards(intent, slice.ranges, slice.rollout, 0));
}

/** `null`: it is so long ago that nothing is kept of it. */
export function knownGeneration(intent: Intent, generation: number): EarlierGeneration | null {
  const wanted = wantedOf(intent);
  if (generation === wanted.generation) return wanted;
  return intent.rollout?.earlier.find((it) => it.generation === generation) ?? null;
}

function wantedOf({ spec, specHash, rollout }: Intent): EarlierGeneration {
  const { run, requires, resources } = spec;
  const generation = rollout?.generation ?? 1;
  return { generation, specHash, executor: executorOf(run), requires, resources };
}

/** Placing asks only who runs it. */
function standInFor(executor: ExecutorName, run: Run): Run {
  return executor === executorOf(run) ? run : ({ [executor]: {} } as unknown as Run);
}

function mostOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const most = new Map<string, number>();
  for (const one of all) {
    for (const [name, amount] of Object.entries(one)) {
      most.set(name, Math.max(amount, most.get(name) ?? 0));
    }
  }
  return Object.fromEntries(most);
}
