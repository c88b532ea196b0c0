import type { Explanation, Job } from '../../../core/contract/resources.ts';
import { useResource } from '../../live/use-live.ts';
import { numberWords } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';
import { WaitingReasons } from './waiting-reasons.tsx';

/**
 * Why chunks wait. The explanation is computed by the scheduler's own matcher when asked, so it is
 * asked for only while something waits, and not often; until it is there the job's own summary is
 * shown.
 */
const everyMs = 5_000;

export function JobWaiting({ job, path }: { job: Job; path: string }) {
  const { pending, waiting } = job.status.chunks;
  const waits = pending + waiting > 0;
  const explained = useResource<Explanation>(waits ? `${path}/explain` : null, everyMs);
  if (!waits) return null;
  const found = explained.value?.reasons ?? [];
  const reasons = found.length > 0 ? found : job.status.waiting;
  return (
    <section class="panel waits" aria-labelledby="waits-title">
      <h2 id="waits-title">Why it waits</h2>
      {reasons.length === 0 && (
        <p class="soft">{numberWords(pending + waiting)} chunks are about to be placed.</p>
      )}
      <WaitingReasons
        reasons={reasons}
        more={({ examples, edges }) => <Examples names={examples ?? []} edges={edges} />}
      />
    </section>
  );
}

function Examples({ names, edges }: { names: readonly string[]; edges: number }) {
  if (edges === 0 && names.length === 0) return null;
  return (
    <p class="soft">
      {numberWords(edges)} edges
      {names.length > 0 && ', such as '}
      {names.slice(0, 5).map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <Link to={{ page: 'edge', name }}>{name}</Link>
        </span>
      ))}
    </p>
  );
}
