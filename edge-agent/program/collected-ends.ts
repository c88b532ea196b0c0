import type { ChunkDirectories } from '../chunk-directory/chunk-directories.ts';
import type { EndedChunk } from '../executors/executor.ts';

/**
 * The ends of one turn of the loop, taken in together: each edge writes its own down at once and
 * decides once. Until then whoever ran a chunk keeps its end.
 */
export type CollectedEnds = {
  add(chunk: EndedChunk): void;
  /** What is collected, now. */
  take(): void;
};

export function collectEnds(deps: {
  readonly directories: Pick<ChunkDirectories, 'take'>;
  /** At once, before anything else is made of it. */
  readonly added?: (chunk: EndedChunk) => void;
  /** Whether its directory is needed when its end has been taken in. */
  readonly needs: (chunk: EndedChunk) => boolean;
  /** Takes the ends of one edge. */
  readonly take: (edge: string, chunks: readonly EndedChunk[]) => void;
  readonly soon?: (run: () => void) => void;
}): CollectedEnds {
  const { directories, soon = setImmediate } = deps;
  let collected: EndedChunk[] = [];

  const take = (): void => {
    const chunks = collected;
    collected = [];
    for (const [edge, ended] of byEdge(chunks)) {
      // Given up first: the edge may start the same chunk again at once.
      const taken = ended.map((chunk) => (deps.needs(chunk) ? null : directories.take(chunk.name)));
      deps.take(edge, ended);
      for (const [at, { end, taken: tell }] of ended.entries()) {
        taken[at]?.release(end.kind === 'failed');
        tell?.();
      }
    }
  };

  return {
    add(chunk) {
      deps.added?.(chunk);
      collected.push(chunk);
      if (collected.length === 1) soon(take);
    },
    take,
  };
}

function byEdge(chunks: readonly EndedChunk[]): Map<string, EndedChunk[]> {
  const edges = new Map<string, EndedChunk[]>();
  for (const chunk of chunks) {
    const known = edges.get(chunk.name.edge);
    if (known === undefined) edges.set(chunk.name.edge, [chunk]);
    else known.push(chunk);
  }
  return edges;
}
