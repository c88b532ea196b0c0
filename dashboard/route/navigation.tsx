import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { hrefOf, parseRoute, type Route } from './route.ts';

/**
 * The address bar as state. Links are real links: they open in a new tab, and work with the
 * keyboard, as any other.
 */
const listeners = new Set<() => void>();

export function go(route: Route, how: 'push' | 'replace' = 'push'): void {
  const href = hrefOf(route);
  if (href === location.pathname + location.search) return;
  if (how === 'push') history.pushState(null, '', href);
  else history.replaceState(null, '', href);
  for (const listener of listeners) listener();
}

export function useRoute(): Route {
  const read = () => parseRoute(location.pathname, location.search);
  const [route, setRoute] = useState<Route>(read);
  useEffect(() => {
    const update = () => setRoute(read());
    listeners.add(update);
    addEventListener('popstate', update);
    return () => {
      listeners.delete(update);
      removeEventListener('popstate', update);
    };
  }, []);
  return route;
}

export type LinkProps = {
  readonly to: Route;
  readonly children: ComponentChildren;
} & Omit<JSX.AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | 'onClick'>;

export function Link({ to, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (elsewhere || event.button !== 0) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a {...rest} href={hrefOf(to)} onClick={follow}>
      {children}
    </a>
  );
}
