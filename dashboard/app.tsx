import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { createClient } from './api/client.ts';
import { loadApiAddress, storedToken, storeToken } from './api/session.ts';
import { finishSignIn } from './api/sign-in.ts';
import { Header } from './component/header.tsx';
import { Empty, NextTry } from './component/notice.tsx';
import { useChanges } from './live/use-changes.ts';
import { ClientContext } from './live/use-live.ts';
import { useRetried } from './live/use-retried.ts';
import { AuditPage } from './page/audit-page.tsx';
import { EdgePage } from './page/edge-page.tsx';
import { FleetPage } from './page/fleet-page.tsx';
import { JobPage } from './page/job-page.tsx';
import { JobsPage } from './page/jobs-page.tsx';
import { JobspecPage } from './page/jobspec-page.tsx';
import { JobspecsPage } from './page/jobspecs-page.tsx';
import { PoolsPage } from './page/pools-page.tsx';
import { QueuesPage } from './page/queues-page.tsx';
import { SchedulePage } from './page/schedule-page.tsx';
import { SchedulesPage } from './page/schedules-page.tsx';
import { ServicePage } from './page/service-page.tsx';
import { ServicesPage } from './page/services-page.tsx';
import { SignInPage } from './page/sign-in-page.tsx';
import { SubmitPage } from './page/submit-page.tsx';
import { TokensPage } from './page/tokens-page.tsx';
import { Link, useRoute } from './route/navigation.tsx';
import { hrefOf, noFleetFilter, noJobView, type Route } from './route/route.ts';

/**
 * The shell. States: finding the API → signed out → signed in; a 401 on any request leads back to
 * signed out, with the reason, and the address stays, so that signing in again shows the same page.
 */
export function App() {
  const found = useRetried(loadApiAddress, 'config.json');
  const api = found.value;
  const [isBack, setBack] = useState(false);
  const [token, setToken] = useState(storedToken);
  const [reason, setReason] = useState<string | null>(null);
  useEffect(() => {
    void begin();
  }, []);

  /** Who comes back from signing in is let in before the first page is shown. */
  async function begin(): Promise<void> {
    const outcome = await finishSignIn();
    if (outcome?.kind === 'signed-in') signIn(outcome.token);
    if (outcome?.kind === 'refused') setReason(outcome.sentence);
    setBack(true);
  }

  const signIn = (next: string) => {
    storeToken(next);
    setReason(null);
    setToken(next);
  };
  const signOut = (why: string | null) => {
    storeToken(null);
    setReason(why);
    setToken(null);
  };
  const client = useMemo(() => {
    if (api === null || token === null) return null;
    const onSignedOut = (problem: { sentence: string }) => signOut(problem.sentence);
    return createClient({ api, token, fetch: fetch.bind(globalThis), onSignedOut });
  }, [api, token]);
  useChanges(client);

  if (!isBack || (api === null && found.retryAtMs === null)) return null;
  if (api === null) {
    return (
      <main class="alone">
        <Empty title="The dashboard does not know its API.">
          <p>
            The file <code>config.json</code> beside this page should name it:{' '}
            <code>{'{"api": "https://…"}'}</code>
          </p>
          <NextTry retryAtMs={found.retryAtMs} onRetry={found.retry} />
        </Empty>
      </main>
    );
  }
  if (client === null) return <SignInPage api={api} reason={reason} onToken={signIn} />;
  return (
    <ClientContext.Provider value={client}>
      <Pages onSignOut={() => signOut(null)} />
    </ClientContext.Provider>
  );
}

function Pages({ onSignOut }: { onSignOut: () => void }) {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const place = `${route.page}${hrefOf(route).split('?')[0]}`;
  const first = useRef(true);
  useEffect(() => {
    document.title = titleOf(route);
    // A new page begins at its top, for the eye and for the keyboard; a new filter does not move
    // anybody.
    if (!first.current) {
      scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    }
    first.current = false;
  }, [place]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Header route={route} onSignOut={onSignOut} />
      <main id="main" ref={main} tabIndex={-1}>
        <PageOf key={place} route={route} />
      </main>
    </>
  );
}

function PageOf({ route }: { route: Route }) {
  switch (route.page) {
    case 'fleet':
      return <FleetPage filter={route.filter} />;
    case 'jobs':
      return <JobsPage filter={route.filter} />;
    case 'job':
      return <JobPage id={route.id} view={route.view ?? noJobView} />;
    case 'edge':
      return <EdgePage name={route.name} />;
    case 'submit':
      return <SubmitPage like={route.like} />;
    case 'services':
      return <ServicesPage pool={route.pool} />;
    case 'service':
      return <ServicePage id={route.id} />;
    case 'jobspecs':
      return <JobspecsPage pool={route.pool} />;
    case 'jobspec':
      return <JobspecPage id={route.id} />;
    case 'schedules':
      return <SchedulesPage pool={route.pool} />;
    case 'schedule':
      return <SchedulePage name={route.name} />;
    case 'pools':
      return <PoolsPage />;
    case 'queues':
      return <QueuesPage />;
    case 'audit':
      return <AuditPage filter={route.filter} />;
    case 'tokens':
      return <TokensPage />;
    case 'missing':
      return (
        <Empty title="There is no page at this address.">
          <Link to={{ page: 'fleet', filter: noFleetFilter }}>To the fleet</Link>
        </Empty>
      );
  }
}

function titleOf(route: Route): string {
  switch (route.page) {
    case 'fleet':
      return 'Fleet · Edgewise';
    case 'jobs':
      return 'Jobs · Edgewise';
    case 'job':
      return `Job ${route.id} · Edgewise`;
    case 'edge':
      return `${route.name} · Edgewise`;
    case 'submit':
      return 'Submit · Edgewise';
    case 'services':
      return 'Services · Edgewise';
    case 'service':
      return `Service ${route.id} · Edgewise`;
    case 'jobspecs':
      return 'Jobspecs · Edgewise';
    case 'jobspec':
      return `Jobspec ${route.id} · Edgewise`;
    case 'schedules':
      return 'Schedules · Edgewise';
    case 'schedule':
      return `Schedule ${route.name} · Edgewise`;
    case 'pools':
      return 'Pools · Edgewise';
    case 'queues':
      return 'Queues · Edgewise';
    case 'audit':
      return 'Audit · Edgewise';
    case 'tokens':
      return 'Tokens · Edgewise';
    case 'missing':
      return 'Not found · Edgewise';
  }
}
