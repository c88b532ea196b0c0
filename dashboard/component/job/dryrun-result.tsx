import type { Dryrun } from '../../../core/contract/resources.ts';
import { dryrunShownMax } from '../../limits.ts';
import { numberWords } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';
import { WaitingReasons } from './waiting-reasons.tsx';

/** What a dry run found: where the chunks would go, and why the rest would wait. */

export function DryrunResult({ plan }: { plan: Dryrun }) {
  const { placements, waiting, placed } = plan;
  return (
    <section class="panel" aria-labelledby="plan-title" aria-live="polite">
      <h2 id="plan-title">
        {placements.length === 0
          ? 'Nothing would start now'
          : `${numberWords(placed)} chunks would go to ${
              placements.length === 1 ? '1 edge' : `${numberWords(placements.length)} edges`
            }`}
      </h2>
      <ul class="placements">
        {placements.slice(0, dryrunShownMax).map(({ edge, chunks }) => (
          <li key={edge}>
            <Link to={{ page: 'edge', name: edge }}>{edge}</Link>
            <span class="figures">{numberWords(chunks)}</span>
          </li>
        ))}
      </ul>
      {placements.length > dryrunShownMax && (
        <p class="soft">and {numberWords(placements.length - dryrunShownMax)} edges more</p>
      )}
      <WaitingReasons reasons={waiting} />
    </section>
  );
}
