import { useEffect, useState } from 'preact/hooks';
import { connection, onConnection } from '../live/connection.ts';
import { useNow } from '../live/use-live.ts';
import { durationWords } from '../model/words.ts';
import { Link } from '../route/navigation.tsx';
import { noFleetFilter, noJobsFilter, type Route } from '../route/route.ts';
import { BrandMark } from './brand-mark.tsx';
import { managementPages } from './management-tabs.tsx';
import { KeyCommands } from './search/key-commands.tsx';
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
        <BrandMark />
        <span>Edgewise</span>
      </Link>
      <nav aria-label="Pages">
        <Link to={{ page: 'fleet', filter: noFleetFilter }} aria-current={at('fleet', 'edge')}>
          Fleet
        </Link>
        <Link to={{ page: 'jobs', filter: noJobsFilter }} aria-current={at('jobs', 'job')}>
          Jobs
        </Link>
        <Link to={{ page: 'services', pool: '' }} aria-current={at('services', 'service')}>
          Services
        </Link>
        <Link to={{ page: 'schedules', pool: '' }} aria-current={at('schedules', 'schedule')}>
          Schedules
        </Link>
        <Link to={{ page: 'jobspecs', pool: '' }} aria-current={at('jobspecs', 'jobspec')}>
          Jobspecs
        </Link>
        <Link to={{ page: 'submit', like: '' }} aria-current={at('submit')}>
          Submit
        </Link>
        <Link to={{ page: 'pools' }} aria-current={at(...managementPages)}>
          Manage
        </Link>
      </nav>
      <LiveWords />
      <div class="top-end">
        <KeyCommands />
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
  const { answeredAtMs } = connection();
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
        {answeredAtMs !== null && ` Last answer ${durationWords(nowMs - answeredAtMs)} ago.`}
        {wait > 0 && ` Next try in ${durationWords(Math.max(1_000, wait))}.`}
      </span>
    </p>
  );
}
