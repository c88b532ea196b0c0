import type { Chunk, Job } from '../../core/contract/resources.ts';
import type { GenerationAnswer } from '../../core/contract/services/generation-body.ts';
import { chunkEndWords } from './reason-words.ts';

/** What the page of a service shows, from what the API says. Pure. */
export type GenerationRow = {
  readonly generation: number;
  /** What it runs, in a few words; `null` of one that is not kept any more. */
  readonly runs: string | null;
  readonly createdAt: string | null;
  /** Instances that are to run it, and those of them that are ready. */
  readonly instances: number;
  readonly ready: number;
  /** What instances are brought to. */
  readonly isTarget: boolean;
};

/** Side by side: what somebody runs or is brought to, and what the last ones were, newest first. */
export function generationRows(
  service: Job,
  instances: readonly Chunk[],
  kept: readonly GenerationAnswer[],
): readonly GenerationRow[] {
  const target = service.status.service?.generation ?? service.generation;
  const known = new Map(kept.map((it) => [it.generation, it]));
  const rows = new Map<number, { instances: number; ready: number }>();
  for (const generation of [target, ...known.keys()]) {
    rows.set(generation, { instances: 0, ready: 0 });
  }
  for (const { generation, ready } of instances) {
    if (generation === undefined) continue;
    const row = rows.get(generation) ?? { instances: 0, ready: 0 };
    rows.set(generation, {
      instances: row.instances + 1,
      ready: row.ready + (ready === true ? 1 : 0),
    });
  }
  return [...rows]
    .sort(([a], [b]) => b - a)
    .map(([generation, counts]) => {
      const spec =
        known.get(generation) ?? (generation === service.generation ? service.spec : null);
      return {
        generation,
        runs: spec === null ? null : runWords(spec.run),
        createdAt: known.get(generation)?.createdAt ?? null,
        ...counts,
        isTarget: generation === target,
      };
    });
}

/** `nginx:1`, `httpd -f -p 80`, of a pod `web: nginx:1, log: busybox:1`. */
export function runWords(run: Job['spec']['run']): string {
  const { container, pod, process, vm } = run;
  const words = (it: { readonly image: string; readonly argv?: readonly string[] }): string =>
    [it.image, ...(it.argv ?? [])].join(' ');
  if (container !== undefined) return words(container);
  if (pod !== undefined) return pod.containers.map((it) => `${it.name}: ${words(it)}`).join(', ');
  if (vm !== undefined) return `vm ${vm.rootfs}`;
  return process === undefined ? (Object.keys(run)[0] ?? '') : process.argv.join(' ');
}

type Port = NonNullable<Chunk['ports']>[number];

/** Where a browser may go; `null` where it cannot know a way. */
export function hrefOfPort({ host, port, protocol }: Port): string | null {
  if (host === null || protocol !== 'tcp') return null;
  const isPlain = /^[A-Za-z0-9.-]+$/.test(host);
  if (!isPlain && !/^[0-9A-Fa-f:.]+$/.test(host)) return null;
  return `http://${isPlain ? host : `[${host}]`}:${port}/`;
}

export function exitWords(exit: Chunk['lastExit']): string {
  if (exit == null) return 'none';
  if (exit.reason === null && exit.exitCode === null) return 'ended';
  return chunkEndWords(exit.reason, exit.exitCode);
}

/** Those that ended, the last one first. */
export function lastExits(instances: readonly Chunk[]): readonly Chunk[] {
  return instances.filter(({ lastExit }) => lastExit != null).sort((a, b) => timeOf(b) - timeOf(a));
}

function timeOf({ lastExit }: Chunk): number {
  return Date.parse(lastExit?.at ?? '') || 0;
}

/** How the way to the generation wanted is, in a sentence. */
export function rolloutWords({ generation: wanted, status: { service } }: Job): string {
  if (service === undefined) return '';
  const { generation, rollout, updated, wanted: all, rolloutReason } = service;
  const far = `${updated} of ${all} instances`;
  const why = rolloutReason === null ? '' : `: ${rolloutReason}`;
  if (rollout === 'rolled-back') return `Rolled back to generation ${generation}, ${far}${why}.`;
  if (wanted > generation) return `Generation ${wanted} is wanted.`;
  if (rollout === 'paused') return `Paused on the way to generation ${generation}, ${far}${why}.`;
  if (rollout === 'moving') return `On the way to generation ${generation}, ${far}.`;
  return `All instances run generation ${generation}.`;
}
