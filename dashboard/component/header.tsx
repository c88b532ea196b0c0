import { useEffect, useState } from 'preact/hooks';
import { connection, onConnection } from '../live/connection.ts';
import { useNow } from '../live/use-live.ts';
import { durationWords } from '../model/words.ts';
import { Link } from '../route/navigation.tsx';
import { noFleetFilter, noJobsFilter, type Route } from '../route/route.ts';
import { ThemeButton } from './theme.tsx';

/** The bar on top: where one is, whether the page is live, and the way out. */
export function Header({ route, onSignOut }: { route: Route; onSignOut: () => void }) {
  const at = (...pages: Route['page'][]) => (pages.includes(route.page) ? 'page' : undefined);
  return (
    <header class="top">
      <Link
        class="brand"
        to={{ page: 'fleet', filter: noFleetFilter }}
        aria-label="Edgewise, fleet"
      >
        <Mark />
        <span>Edgewise</span>
      </Link>
      <nav aria-label="Pages">
        <Link to={{ page: 'fleet', filter: noFleetFilter }} aria-current={at('fleet', 'edge')}>
          Fleet
        </Link>
        <Link to={{ page: 'jobs', filter: noJobsFilter }} aria-current={at('jobs', 'job')}>
          Jobs
        </Link>
        <Link to={{ page: 'submit', like: '' }} aria-current={at('submit')}>
          Submit
        </Link>
        <Link to={{ page: 'tokens' }} aria-current={at('tokens')}>
          Tokens
        </Link>
      </nav>
      <LiveWords />
      <div class="top-end">
        <ThemeButton />
        <button type="button" class="quiet" onClick={onSignOut}>
          Sign out
        </button>
      </div>
    </header>
  );
}

function LiveWords() {
  const [state, setState] = useState(connection);
  useEffect(() => onConnection(setState), []);
  const nowMs = useNow(1_000);
  const { heardAtMs } = connection();
  if (state.state === 'live') {
    return (
      <p class="live live-on" role="status">
        <span class="pulse" aria-hidden="true" /> live
      </p>
    );
  }
  const wait = Math.max(0, (state.retryAtMs ?? nowMs) - nowMs);
  return (
    <p class={`live live-${state.state}`} role="status">
      <span class="pulse" aria-hidden="true" />
      {state.sentence}
      <span class="soft" aria-hidden="true">
        {heardAtMs !== null && ` Last answer ${durationWords(nowMs - heardAtMs)} ago.`}
        {wait > 0 && ` Next try in ${durationWords(Math.max(1_000, wait))}.`}
      </span>
    </p>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 20 20" aria-hidden="true">
      <rect class="a" x="0" y="0" width="9" height="9" rx="2" />
      <rect class="b" x="11" y="0" width="9" height="9" rx="2" />
      <rect class="c" x="0" y="11" width="9" height="9" rx="2" />
      <rect class="a" x="11" y="11" width="9" height="9" rx="2" />
    </svg>
  );
}
