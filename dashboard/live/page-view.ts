import type { PageView } from './feed.ts';

export const pageView: PageView = {
  isHidden: () => document.hidden,
  onView(listener) {
    document.addEventListener('visibilitychange', listener);
    return () => document.removeEventListener('visibilitychange', listener);
  },
  onOnline(listener) {
    addEventListener('online', listener);
    return () => removeEventListener('online', listener);
  },
};
