import { setTimeout as sleep } from 'node:timers/promises';
import type { OfferAnswer, OffersAnswer } from '../../../core/contract/clusters/offer-body.ts';
import { notFound } from '../../../core/contract/problem.ts';
import { offerWaitSecondsMax } from '../../../core/graph/limits.ts';
import { type EdgeName, isName } from '../../../core/model/names.ts';
import { namedValue } from '../../../core/protocol/named-values.ts';
import { type Offer, offersOf } from '../../../core/scheduler/offers.ts';
import { offerLookMs } from '../../limits.ts';
import { noteContact } from '../edge-link/note-contact.ts';
import { visibleEdge } from '../edges/view/visible-edge.ts';
import {
  badQuery,
  type Call,
  checkQuery,
  edgeNamed,
  edgeOfPath,
  flagOf,
  valuesOf,
} from '../http/call.ts';
import { type Paging, pagingOf, readPaging } from '../http/cursor.ts';
import { hasLabels, type LabelFilter, labelsOf } from '../http/label-query.ts';
import { pageOf } from '../http/page.ts';
import { timeOf } from '../jobs/view/job-view.ts';
import { type Context, defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { type DocumentPorts, nodesOf, nodesOfOffer, offerView } from './offer-view.ts';

/**
 * `GET /v1/edges/{name}/offers`: what an edge in pull mode may take, by priority and arrival.
 * Reading reserves nothing. With `waitSeconds` it answers as soon as something is offered.
 */
type Filter = {
  readonly max: number | null;
  readonly maxNodes: number | null;
  readonly maxCores: number | null;
  readonly maxSeconds: number | null;
  readonly queue: string | null;
  readonly labels: LabelFilter;
  /** Only what there is room for, for all of it or for a part. */
  readonly fits: 'all' | 'some' | null;
};

type Asked = {
  readonly name: EdgeName;
  readonly filter: Filter;
  readonly summary: boolean;
  readonly waitSeconds: number;
  readonly paging: Paging;
};

const list = { name: 'offers', position: /^\d{1,9}$/ };
const amounts = ['max', 'maxNodes', 'maxCores', 'maxSeconds'] as const;

export const listOffers = defineOperation({
  name: 'listOffers',
  read: (call): Asked => {
    const known = [...amounts, 'queue', 'label', 'fits', 'summary', 'waitSeconds'];
    checkQuery(call, [...known, 'limit', 'cursor']);
    const [max, maxNodes, maxCores, maxSeconds] = amounts.map((name) => amountOf(call, name));
    const { queue = null } = call.query;
    if (queue !== null && !isName(queue)) throw badQuery('queue', 'This cannot be a name.');
    const labels = labelsOf(valuesOf(call, 'label'));
    const fits = fitsOf(call);
    return {
      name: edgeOfPath(call),
      filter: {
        max: max === null || max! < 1 ? null : max!,
        maxNodes: maxNodes!,
        maxCores: maxCores!,
        maxSeconds: maxSeconds!,
        queue,
        labels,
        fits,
      },
      summary: flagOf(call, 'summary'),
      waitSeconds: waitOf(call),
      paging: readPaging(call, list),
    };
  },
  run: async (asked, context, deps: OfferPorts): Promise<OffersAnswer> => {
    await noteContact(context.caller, context.nowMs, deps);
    let offers = await offersNow(asked, context, deps);
    for (let looks = 0; offers.length === 0 && looks < looksOf(asked); looks++) {
      await sleep(offerLookMs);
      offers = await offersNow(asked, context, deps);
    }
    return asked.summary ? summaryOf(offers) : pageOfOffers(asked, offers, deps);
  },
  answer: (body) => ({ status: 200, body }),
});

type OfferPorts = Pick<Ports, 'edges' | 'jobs' | 'cellStore' | 'inventory' | 'log' | 'clock'> &
  DocumentPorts;

/** What there is now, unfiltered, so many of it. */
export function offersAsked(edge: string, limit: number): Asked {
  const any = { max: null, maxNodes: null, maxCores: null, maxSeconds: null, queue: null };
  return {
    name: edgeNamed(edge),
    filter: { ...any, labels: [], fits: null },
    summary: false,
    waitSeconds: 0,
    paging: pagingOf(list, { name: edge }, { limit, cursor: null }),
  };
}

const looksOf = ({ waitSeconds }: Asked): number => (waitSeconds * 1_000) / offerLookMs;

async function offersNow(
  { name, filter }: Asked,
  { caller }: Context,
  deps: OfferPorts,
): Promise<readonly Offer[]> {
  const edge = await visibleEdge(name, caller, deps);
  const cell = await deps.cellStore.load(edge.cell);
  if (cell === null) throw notFound(`edge "${name}"`);
  const offers = offersOf(cell, name, deps.clock.nowMs()).filter((it) => passes(it, filter));
  return withLabels(deps, offers, filter.labels);
}

/** Labels of jobs are not in their cells. */
async function withLabels(
  { jobs }: Pick<Ports, 'jobs'>,
  offers: readonly Offer[],
  labels: LabelFilter,
): Promise<readonly Offer[]> {
  if (labels.length === 0 || offers.length === 0) return offers;
  const found = await jobs.findMany(offers.map(({ job }) => job));
  const known = new Map(found.map(({ job }) => [job.id, job.spec.labels]));
  return offers.filter(({ job }) =>
    hasLabels(labels, (key) => namedValue(known.get(job) ?? {}, key)),
  );
}

/** Of a jobspec all that is open of it has to pass. */
function passes({ intent, fits, fitsPartly, whole }: Offer, filter: Filter): boolean {
  const intents = whole?.intents ?? [intent];
  if (!intents.every(({ spec }) => isWanted(spec, filter))) return false;
  return filter.fits === null || (filter.fits === 'some' ? fitsPartly : fits);
}

function isWanted(spec: Offer['intent']['spec'], filter: Filter): boolean {
  const { queue, maxNodes, maxCores, maxSeconds } = filter;
  if (queue !== null && spec.queue !== queue) return false;
  if (maxNodes !== null && nodesOf(spec) > maxNodes) return false;
  if (maxCores !== null && (spec.resources.cores ?? 0) > maxCores) return false;
  return maxSeconds === null || (spec.deadlineSeconds ?? Number.POSITIVE_INFINITY) <= maxSeconds;
}

async function pageOfOffers(
  { name, filter, paging }: Asked,
  offers: readonly Offer[],
  deps: DocumentPorts,
): Promise<OffersAnswer> {
  const start = Number(paging.position ?? 0);
  const end = Math.min(offers.length, filter.max ?? offers.length);
  const shown = offers.slice(start, Math.min(end, start + paging.limit));
  const items: OfferAnswer[] = [];
  for (const offer of shown) items.push(await offerView(name, offer, deps));
  const places = new Map(items.map((item, at) => [item, String(start + at + 1)]));
  const last = start + shown.length;
  const next = last < end ? String(last) : null;
  const page = pageOf(paging, items, (item) => places.get(item)!, next);
  return { items: [...page.items], nextCursor: page.nextCursor, total: offers.length };
}

function summaryOf(offers: readonly Offer[]): OffersAnswer {
  const byQueue = new Map<string, number>();
  const byNodes = new Map<string, number>();
  let oldestMs: number | null = null;
  for (const offer of offers) {
    const { spec, submittedAtMs } = offer.intent;
    byQueue.set(spec.queue, (byQueue.get(spec.queue) ?? 0) + 1);
    const nodes = nodesClass(nodesOfOffer(offer));
    byNodes.set(nodes, (byNodes.get(nodes) ?? 0) + 1);
    oldestMs = Math.min(oldestMs ?? submittedAtMs, submittedAtMs);
  }
  return {
    total: offers.length,
    byQueue: Object.fromEntries(byQueue),
    byNodes: Object.fromEntries(byNodes),
    oldestAt: oldestMs === null ? null : timeOf(oldestMs),
  };
}

/** `1`, `2-4`, `5-8`, `9-16` and so on. */
function nodesClass(nodes: number): string {
  if (nodes <= 1) return '1';
  let most = 4;
  while (most < nodes) most *= 2;
  return most === 4 ? '2-4' : `${most / 2 + 1}-${most}`;
}

function amountOf(call: Call, name: string): number | null {
  const text = call.query[name];
  if (text === undefined) return null;
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw badQuery(name, 'This is a whole number.');
}

function fitsOf(call: Call): Filter['fits'] {
  if (call.query.fits === 'some') return 'some';
  return flagOf(call, 'fits') ? 'all' : null;
}

function waitOf(call: Call): number {
  const seconds = amountOf(call, 'waitSeconds') ?? 0;
  if (seconds >= 0 && seconds <= offerWaitSecondsMax) return seconds;
  throw badQuery('waitSeconds', `This is a whole number from 0 to ${offerWaitSecondsMax}.`);
}
