import { useEffect } from 'preact/hooks';
import type { Client } from '../api/client.ts';
import { noteChange } from './change-signal.ts';
import { changeSources } from './change-sources.ts';
import { followChanges } from './follow-changes.ts';
import { pageView } from './page-view.ts';

/**
 * Follows changes while somebody looks at the page: a stream that nobody sees costs the deployment
 * a running function.
 */
export function useChanges(client: Client | null): void {
  useEffect(() => {
    if (client === null) return;
    let following: AbortController | null = null;
    const look = () => {
      following?.abort();
      following = null;
      if (pageView.isHidden()) return;
      following = new AbortController();
      const { signal } = following;
      void followChanges({ sources: changeSources(client), note: noteChange, signal });
    };
    const end = pageView.onView(look);
    look();
    return () => {
      end();
      following?.abort();
      noteChange('asking');
    };
  }, [client]);
}
