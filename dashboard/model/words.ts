import {
  isNamedReason,
  type NamedWaitingReason,
  type WaitingReason,
} from '../../core/contract/waiting-reason.ts';

/** Numbers and times as people say them. Pure; the time is an argument. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function numberWords(value: number): string {
  return Math.abs(value) < 100_000 ? whole.format(value) : compact.format(value);
}

/** `403 W`, `12.4 kW`, `3.1 MW`. */
export function powerWords(watts: number): string {
  const size = Math.abs(watts);
  if (size < 10_000) return `${short.format(watts)} W`;
  if (size < 10_000_000) return `${short.format(watts / 1_000)} kW`;
  return `${short.format(watts / 1_000_000)} MW`;
}

/** `812 B`, `4.2 kB`, `1.3 GB`. */
export function bytesWords(bytes: number): string {
  if (bytes < 1_000) return `${whole.format(bytes)} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${short.format(bytes / 1_000 ** step)} ${units[step - 1]}`;
}

export function percentWords(part: number, whole: number): string {
  return whole <= 0 ? '0 %' : `${Math.floor((100 * part) / whole)} %`;
}

/** `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. */
export function durationWords(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '0 s';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return pair(minutes, 'min', seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return pair(hours, 'h', minutes % 60, 'min');
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/**
 * `just now`, `12 s ago`, `3 min ago`, `yesterday`. A clock that runs ahead of ours reads as `just
 * now`.
 */
export function agoWords(at: string | null | undefined, nowMs: number): string {
  const atMs = timeMs(at);
  if (atMs === null) return 'never';
  const seconds = Math.floor((nowMs - atMs) / 1_000);
  if (seconds < 3) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  return days === 1 ? 'yesterday' : `${days} days ago`;
}

export function timeMs(at: string | null | undefined): number | null {
  if (at === null || at === undefined) return null;
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? null : ms;
}

/** The whole time, for a tooltip and for machines. */
export function clockWords(at: string | null | undefined): string {
  const ms = timeMs(at);
  return ms === null
    ? ''
    : new Date(ms)
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, ' UTC');
}

const waitingSentences: Readonly<Record<NamedWaitingReason, string>> = {
  'no-edges': 'The pool has no edges yet.',
  'no-free-power': 'Every matching edge is busy; its power is taken.',
  'chunk-larger-than-any-edge': 'One chunk asks for more than any edge has.',
  'labels-do-not-match': 'No free edge carries the labels it asks for.',
  'expression-does-not-match': 'No free edge meets its expressions.',
  'edge-cordoned': 'Edges that would match are cordoned.',
  'edge-disconnected': 'Edges that would match are not connected.',
  'edge-refused': 'Edges that would match refused it by their own policy.',
  'awaits-accept': 'Offered to clusters that take their work by themselves.',
  'shadow-full': 'The work lists of matching edges are full; they will drain.',
  'max-edges': 'It already runs on as many edges as it allows.',
  'gang-incomplete': 'It needs several nodes at once and not all are free.',
  'queue-order': 'An earlier job of its strict queue has to start first.',
  backoff: 'Failed chunks wait a moment before they are tried again.',
  dependency: 'It waits for another job to end.',
  quota: 'Its queue or pool has used its quota.',
  inconsistent: 'What is stored of it contradicts itself; it stays as it is.',
};

/** A waiting reason as a sentence; one of a newer server than this page is shown as it is. */
export function waitingSentence(reason: WaitingReason): string {
  const known = isNamedReason(reason) ? waitingSentences[reason] : null;
  if (known !== null) return known;
  return reason.startsWith('no-free-') ? `No matching edge has free ${reason.slice(8)}.` : reason;
}
