import { pageNumberMax, routeTextLengthMax } from '../limits.ts';

/**
 * Every page has an address and every address a page: what a page shows, its filters included, is
 * in the URL, so it can be shared, bookmarked and gone back to. Pure: text in, route out, and back.
 */
export type FleetFilter = {
  readonly status: string;
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

/** What is shown of a job that has many edges and chunks. */
export type JobView = {
  /** A column of its edges; with a `-` before it the other way round. */
  readonly sort: string;
  /** The page of its edges, from 0. */
  readonly at: number;
  /** The state of the chunks that are listed. */
  readonly chunks: string;
};

export type AuditFilter = {
  /** A key of `auditSpans`: how far back. */
  readonly span: string;
  readonly q: string;
};

export type Route =
  | { readonly page: 'fleet'; readonly filter: FleetFilter }
  | { readonly page: 'jobs'; readonly filter: JobsFilter }
  | { readonly page: 'job'; readonly id: string; readonly view?: JobView }
  | { readonly page: 'edge'; readonly name: string }
  | { readonly page: 'submit'; readonly like: string }
  | { readonly page: 'services'; readonly pool: string }
  | { readonly page: 'service'; readonly id: string }
  | { readonly page: 'jobspecs'; readonly pool: string }
  | { readonly page: 'jobspec'; readonly id: string }
  | { readonly page: 'schedules'; readonly pool: string }
  | { readonly page: 'schedule'; readonly name: string }
  | { readonly page: 'pools' }
  | { readonly page: 'queues' }
  | { readonly page: 'audit'; readonly filter: AuditFilter }
  | { readonly page: 'tokens' }
  | { readonly page: 'missing' };

export const noFleetFilter: FleetFilter = { status: '', pool: '', q: '', view: 'cells' };
export const noJobsFilter: JobsFilter = {
  state: '',
  pool: '',
  queue: '',
  label: '',
  edge: '',
  q: '',
};

export const noAuditFilter: AuditFilter = { span: '', q: '' };
export const noJobView: JobView = { sort: '', at: 0, chunks: '' };

export function parseRoute(pathname: string, search: string): Route {
  const query = new URLSearchParams(search);
  const text = (key: string) => (query.get(key) ?? '').slice(0, routeTextLengthMax);
  const parts = pathname.split('/').filter((part) => part !== '');
  const [first, second] = parts;
  if (parts.length > 2) return { page: 'missing' };
  if (first === undefined || (first === 'edges' && second === undefined)) {
    const view = first === 'edges' || query.get('view') === 'table' ? 'table' : 'cells';
    const filter = { status: text('status'), pool: text('pool'), q: text('q'), view } as const;
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
  if (first === 'jobs' && second !== undefined) {
    const at = Math.min(pageNumberMax, Math.floor(Number(text('at'))) || 0);
    const view = { sort: text('sort'), at: Math.max(0, at), chunks: text('chunks') };
    const isPlain = view.sort === '' && view.at === 0 && view.chunks === '';
    return { page: 'job', id: decode(second), ...(isPlain ? {} : { view }) };
  }
  if (first === 'edges' && second !== undefined) return { page: 'edge', name: decode(second) };
  if (first === 'submit' && second === undefined) return { page: 'submit', like: text('like') };
  if (first === 'services') {
    if (second === undefined) return { page: 'services', pool: text('pool') };
    return { page: 'service', id: decode(second) };
  }
  if (first === 'jobspecs') {
    if (second === undefined) return { page: 'jobspecs', pool: text('pool') };
    return { page: 'jobspec', id: decode(second) };
  }
  return parseManagement(first, second, text);
}

function parseManagement(
  first: string,
  second: string | undefined,
  text: (key: string) => string,
): Route {
  if (first === 'schedules') {
    if (second === undefined) return { page: 'schedules', pool: text('pool') };
    return { page: 'schedule', name: decode(second) };
  }
  if (second !== undefined) return { page: 'missing' };
  switch (first) {
    case 'pools':
    case 'queues':
    case 'tokens':
      return { page: first };
    case 'audit':
      return { page: 'audit', filter: { span: text('span'), q: text('q') } };
    default:
      return { page: 'missing' };
  }
}

export function hrefOf(route: Route): string {
  switch (route.page) {
    case 'fleet': {
      const { view, ...rest } = route.filter;
      return `/${queryOf({ ...rest, view: view === 'table' ? 'table' : '' })}`;
    }
    case 'jobs':
      return `/jobs${queryOf(route.filter)}`;
    case 'job': {
      const { sort, at, chunks } = route.view ?? noJobView;
      const query = { sort, at: at === 0 ? '' : String(at), chunks };
      return `/jobs/${encodeURIComponent(route.id)}${queryOf(query)}`;
    }
    case 'edge':
      return `/edges/${encodeURIComponent(route.name)}`;
    case 'submit':
      return `/submit${queryOf({ like: route.like })}`;
    case 'services':
      return `/services${queryOf({ pool: route.pool })}`;
    case 'service':
      return `/services/${encodeURIComponent(route.id)}`;
    case 'jobspecs':
      return `/jobspecs${queryOf({ pool: route.pool })}`;
    case 'jobspec':
      return `/jobspecs/${encodeURIComponent(route.id)}`;
    case 'schedules':
      return `/schedules${queryOf({ pool: route.pool })}`;
    case 'schedule':
      return `/schedules/${encodeURIComponent(route.name)}`;
    case 'audit':
      return `/audit${queryOf(route.filter)}`;
    case 'pools':
    case 'queues':
    case 'tokens':
      return `/${route.page}`;
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
