import { Link } from '../route/navigation.tsx';
import { noAuditFilter, type Route } from '../route/route.ts';

/** The pages for those who look after the fleet, side by side. */
const tabs: readonly (readonly [page: Route['page'], title: string, to: Route])[] = [
  ['pools', 'Pools', { page: 'pools' }],
  ['queues', 'Queues', { page: 'queues' }],
  ['tokens', 'Tokens', { page: 'tokens' }],
  ['audit', 'Audit', { page: 'audit', filter: noAuditFilter }],
];

export const managementPages: readonly Route['page'][] = tabs.map(([page]) => page);

export function ManagementTabs({ at }: { at: Route['page'] }) {
  return (
    <nav class="states" aria-label="Management">
      {tabs.map(([page, title, to]) => (
        <Link key={page} to={to} aria-current={page === at ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
