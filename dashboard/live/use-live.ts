import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, Client } from '../api/client.ts';
import { type Collection, createCollectionLoader } from './collection.ts';
import { Feed, type FeedOptions, type Live } from './feed.ts';
import { noticeOf } from './notice-of.ts';
import { pageView } from './page-view.ts';

/** The hooks by which a page says what it wants to have fresh. A path of `null` wants nothing. */
export const ClientContext = createContext<Client | null>(null);

export function useClient(): Client {
  const client = useContext(ClientContext);
  if (client === null) throw new Error('a page was drawn without a client');
  return client;
}

export type Watched<T> = Live<T> & { refresh(): void };

export function useResource<T>(path: string | null, everyMs: number, once = false): Watched<T> {
  const client = useClient();
  return useFeed<T>(path, everyMs, (wanted) => () => client.read<T>(wanted), once);
}

export function useCollection<T>(
  path: string | null,
  everyMs: number,
  itemsMax = 5_000,
): Watched<Collection<T>> {
  const client = useClient();
  return useFeed<Collection<T>>(path, everyMs, (wanted) =>
    createCollectionLoader<T>(client, wanted, itemsMax),
  );
}

export type KeptText = { readonly text: string | null };

/**
 * What a program printed: read until it is there once it has ended, and again and again before.
 * `null` is what nobody kept.
 */
export function useText(path: string, hasEnded: boolean): Watched<KeptText> {
  const client = useClient();
  const loader = (wanted: string) => async (): Promise<Answer<KeptText>> => {
    const answer = await client.readText(wanted);
    const isMissing = !answer.ok && answer.problem.kind === 'missing';
    if (isMissing) return { ok: true, value: { text: null }, unchanged: false };
    return answer.ok ? { ...answer, value: { text: answer.value } } : answer;
  };
  return useFeed<KeptText>(path, textEveryMs, loader, hasEnded);
}

const textEveryMs = 5_000;
const nothing: Live<never> = { value: null, problem: null, loaded: false, stale: null };

function useFeed<T>(
  path: string | null,
  everyMs: number,
  loader: (path: string) => FeedOptions<T>['load'],
  once = false,
): Watched<T> {
  const [state, setState] = useState<{ path: string | null; live: Live<T> }>({
    path: null,
    live: nothing,
  });
  const feed = useRef<Feed<T> | null>(null);
  useEffect(() => {
    if (path === null) return;
    const started = new Feed<T>({
      view: pageView,
      everyMs,
      once,
      notice: noticeOf(path),
      load: loader(path),
      show: (live) => setState({ path, live }),
    });
    feed.current = started;
    return () => {
      started.stop();
      feed.current = null;
    };
    // The loader is a new function each time but depends on nothing else than the path.
  }, [path, everyMs, once]);
  const live = state.path === path ? state.live : nothing;
  return { ...live, refresh: () => feed.current?.refresh() };
}

/** The time, as state: redraws the caller every `everyMs` while the page is shown. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNowMs(Date.now());
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}
