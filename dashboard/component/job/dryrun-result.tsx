import type { Dryrun } from '../../api/resources.ts';
import { numberWords, waitingSentence } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';

/** What a dry run found: where the chunks would go, and why the rest would wait. */
const shownMax = 20;

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
        {placements.slice(0, shownMax).map(({ edge, chunks }) => (
          <li key={edge}>
            <Link to={{ page: 'edge', name: edge }}>{edge}</Link>
            <span class="figures">{numberWords(chunks)}</span>
          </li>
        ))}
      </ul>
      {placements.length > shownMax && (
        <p class="soft">and {numberWords(placements.length - shownMax)} edges more</p>
      )}
      <ul class="why">
        {waiting.map((reason) => (
          <li key={reason.reason}>
            <b>{numberWords(reason.chunks)}</b>
            <div>
              <p>
                {waitingSentence(reason.reason)} <code class="soft">{reason.reason}</code>
              </p>
              {reason.detail && <p class="soft">{reason.detail}</p>}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
