import { noAuditFilter, noFleetFilter, noJobsFilter, type Route } from '../../route/route.ts';

/**
 * What single keys do, as one table: the page obeys it and the list of keys shows it. Pure. `g` and
 * a letter within a moment go to a page.
 */
export type KeyAction =
  | { readonly kind: 'search' }
  | { readonly kind: 'help' }
  | { readonly kind: 'go'; readonly to: Route };

export type KeyPress = {
  readonly key: string;
  readonly atMs: number;
  /** Held with Ctrl, Alt or the like: a key of the browser or of the system. */
  readonly isHeld: boolean;
  /** Somebody types a text, or a dialog is open. */
  readonly isBusy: boolean;
};

/** When `g` was pressed last; `null` when something else came after it. */
export type KeyState = { readonly goAtMs: number | null };

export const noKeys: KeyState = { goAtMs: null };
const secondKeyMs = 1_500;

export const goKeys: readonly (readonly [key: string, page: string, to: Route])[] = [
  ['f', 'Fleet', { page: 'fleet', filter: noFleetFilter }],
  ['e', 'Edges as a table', { page: 'fleet', filter: { ...noFleetFilter, view: 'table' } }],
  ['j', 'Jobs', { page: 'jobs', filter: noJobsFilter }],
  ['v', 'Services', { page: 'services', pool: '' }],
  ['c', 'Schedules', { page: 'schedules', pool: '' }],
  ['s', 'Jobspecs', { page: 'jobspecs', pool: '' }],
  ['n', 'Submit a new job', { page: 'submit', like: '' }],
  ['p', 'Pools', { page: 'pools' }],
  ['q', 'Queues', { page: 'queues' }],
  ['t', 'Tokens', { page: 'tokens' }],
  ['a', 'Audit', { page: 'audit', filter: noAuditFilter }],
];

/** The other keys, for their list. */
export const otherKeys: readonly (readonly [key: string, does: string])[] = [
  ['/', 'Search'],
  ['?', 'This list'],
  ['Esc', 'Close what is open'],
  ['← ↑ ↓ →', 'From edge to edge, among the cells'],
];

export function pressKey(
  state: KeyState,
  press: KeyPress,
): { readonly state: KeyState; readonly action: KeyAction | null } {
  const { key, atMs, isHeld, isBusy } = press;
  if (isHeld || isBusy) return { state: noKeys, action: null };
  if (key === '/') return { state: noKeys, action: { kind: 'search' } };
  if (key === '?') return { state: noKeys, action: { kind: 'help' } };
  const isSecond = state.goAtMs !== null && atMs - state.goAtMs <= secondKeyMs;
  if (isSecond) {
    const found = goKeys.find(([one]) => one === key);
    return { state: noKeys, action: found === undefined ? null : { kind: 'go', to: found[2] } };
  }
  return { state: { goAtMs: key === 'g' ? atMs : null }, action: null };
}
