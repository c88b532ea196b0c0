/**
 * Every page has an address and every address a page: what a page shows, its filters included, is
 * in the URL, so it can be shared, bookmarked and gone back to. Pure: text in, route out, and back.
 */
export type FleetFilter = {
  readonly lamp: string;
  readonly pool: string;
  readonly q: string;
  readonly view: 'cells' | 'table';
};

export type JobsFilter = {
  readonly state: string;
  readonly pool: string;
  readonly queue: string;
  readonly label: string;
  readonly edge: string;
  readonly q: string;
};

export type Route =
  | { readonly page: 'fleet'; readonly filter: FleetFilter }
  | { readonly page: 'jobs'; readonly filter: JobsFilter }
  | { readonly page: 'job'; readonly id: string }
  | { readonly page: 'edge'; readonly name: string }
  | { readonly page: 'submit'; readonly like: string }
  | { readonly page: 'tokens' }
  | { readonly page: 'missing' };

export const noFleetFilter: FleetFilter = { lamp: '', pool: '', q: '', view: 'cells' };
export const noJobsFilter: JobsFilter = {
  state: '',
  pool: '',
  queue: '',
  label: '',
  edge: '',
  q: '',
};

const textMax = 512;

export function parseRoute(pathname: string, search: string): Route {
  const query = new URLSearchParams(search);
  const text = (key: string) => (query.get(key) ?? '').slice(0, textMax);
  const parts = pathname.split('/').filter((part) => part !== '');
  const [first, second] = parts;
  if (parts.length > 2) return { page: 'missing' };
  if (first === undefined || (first === 'edges' && second === undefined)) {
    const view = first === 'edges' || query.get('view') === 'table' ? 'table' : 'cells';
    const filter = { lamp: text('lamp'), pool: text('pool'), q: text('q'), view } as const;
    return { page: 'fleet', filter };
  }
  if (first === 'jobs' && second === undefined) {
    const filter: JobsFilter = {
      state: text('state'),
      pool: text('pool'),
      queue: text('queue'),
      label: text('label'),
      edge: text('edge'),
      q: text('q'),
    };
    return { page: 'jobs', filter };
  }
  if (first === 'jobs' && second !== undefined) return { page: 'job', id: decode(second) };
  if (first === 'edges' && second !== undefined) return { page: 'edge', name: decode(second) };
  if (first === 'submit' && second === undefined) return { page: 'submit', like: text('like') };
  if (first === 'tokens' && second === undefined) return { page: 'tokens' };
  return { page: 'missing' };
}

export function hrefOf(route: Route): string {
  switch (route.page) {
    case 'fleet': {
      const { view, ...rest } = route.filter;
      return `/${queryOf({ ...rest, view: view === 'table' ? 'table' : '' })}`;
    }
    case 'jobs':
      return `/jobs${queryOf(route.filter)}`;
    case 'job':
      return `/jobs/${encodeURIComponent(route.id)}`;
    case 'edge':
      return `/edges/${encodeURIComponent(route.name)}`;
    case 'submit':
      return `/submit${queryOf({ like: route.like })}`;
    case 'tokens':
      return '/tokens';
    case 'missing':
      return '/';
  }
}

/**
 * The query of `GET /v1/jobs`: what the server filters. The free text is looked for in the page.
 */
export function jobsPath(filter: JobsFilter): string {
  const { q: _q, ...server } = filter;
  return `/v1/jobs${queryOf(server)}`;
}

function queryOf(fields: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) if (value !== '') query.set(key, value);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
