import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { createClient } from './api/client.ts';
import { loadApiAddress, storedToken, storeToken } from './api/session.ts';
import { Header } from './component/header.tsx';
import { Empty } from './component/notice.tsx';
import { ClientContext } from './live/use-live.ts';
import { EdgePage } from './page/edge-page.tsx';
import { FleetPage } from './page/fleet-page.tsx';
import { JobPage } from './page/job-page.tsx';
import { JobsPage } from './page/jobs-page.tsx';
import { SignInPage } from './page/sign-in-page.tsx';
import { SubmitPage } from './page/submit-page.tsx';
import { TokensPage } from './page/tokens-page.tsx';
import { Link, useRoute } from './route/navigation.tsx';
import { hrefOf, noFleetFilter, type Route } from './route/route.ts';

/**
 * The shell. States: finding the API → signed out → signed in; a 401 on any request leads back to
 * signed out, with the reason, and the address stays, so that signing in again shows the same page.
 */
export function App() {
  const [api, setApi] = useState<string | null | undefined>(undefined);
  const [token, setToken] = useState(storedToken);
  const [reason, setReason] = useState<string | null>(null);
  useEffect(() => {
    void loadApiAddress().then(setApi);
  }, []);

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
    if (typeof api !== 'string' || token === null) return null;
    const onSignedOut = (problem: { sentence: string }) => signOut(problem.sentence);
    return createClient({ api, token, fetch: fetch.bind(globalThis), onSignedOut });
  }, [api, token]);

  if (api === undefined) return null;
  if (api === null) {
    return (
      <main class="alone">
        <Empty title="The dashboard does not know its API.">
          <p>
            The file <code>config.json</code> beside this page should name it:{' '}
            <code>{'{"api": "https://…"}'}</code>
          </p>
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
      return <JobPage id={route.id} />;
    case 'edge':
      return <EdgePage name={route.name} />;
    case 'submit':
      return <SubmitPage like={route.like} />;
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
    case 'tokens':
      return 'Tokens · Edgewise';
    case 'missing':
      return 'Not found · Edgewise';
  }
}
