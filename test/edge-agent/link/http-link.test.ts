import { beforeEach, expect, test } from 'vitest';
import type { Facts } from '../../../core/protocol/facts.ts';
import type { ProgressReportJson } from '../../../core/protocol/progress-report.ts';
import {
  pollBusyMs,
  pollDisplacedMs,
  pollIdleMs,
  reconnectMsMax,
} from '../../../edge-agent/limits.ts';
import {
  type ControlPlaneApi,
  ControlPlaneError,
} from '../../../edge-agent/link/control-plane-api.ts';
import { makeHttpLink } from '../../../edge-agent/link/http-link.ts';
import type { Link } from '../../../edge-agent/link/link.ts';
import { tellDefects } from '../../../edge-agent/link/own-defects.ts';
import { type HandClock, makeHandClock } from '../hand-clock.ts';

type Answer = unknown | ControlPlaneError;

let clock: HandClock;
let link: Link;
let seen: string[];
let workAnswer: () => Answer;
let reportAnswer: () => Answer;
let reports: unknown[];
let log: string[];

const idle = { e: 3, w: {} };
const busy = { e: 4, w: { job: { r: '0', s: 1, p: 1, g: 'h' } } };
const broken = { e: 5, w: {} };
const down = new ControlPlaneError('it does not answer', null, 'unreachable', null);
const refusal = new ControlPlaneError('401', 401, 'unauthorised', null);
const document: ProgressReportJson = { b: 'boot', e: 3, n: 1, f: 1, w: {} };
const facts: Facts = { capacity: { power: 1 }, labels: {}, facts: { arch: 'x64' } };

beforeEach(() => {
  clock = makeHandClock();
  seen = [];
  reports = [];
  log = [];
  workAnswer = () => idle;
  reportAnswer = () => ({});
  const give = async (answer: Answer): Promise<unknown> => {
    if (answer instanceof ControlPlaneError) throw answer;
    return answer;
  };
  const api = {
    getWork: () => give(workAnswer()),
    postReport: (_secret: string, _edge: string, body: unknown) => {
      reports.push(body);
      return give(reportAnswer());
    },
  } as unknown as ControlPlaneApi;
  const events = {
    work: (work: unknown) => {
      if (work === broken) throw new Error('nobody thought of this');
      seen.push(`work ${(work as { e: number }).e}`);
    },
    connected: () => void seen.push('connected'),
    disconnected: (reason: string) => void seen.push(`disconnected: ${reason}`),
    revoked: (reason: string) => void seen.push(`revoked: ${reason}`),
  };
  const guarded = tellDefects('edge-1', events, (line) => log.push(line));
  link = makeHttpLink({ edge: 'edge-1', secret: () => 's', api, clock, events: guarded });
  link.start();
});

test('it asks at once, then now and then, and sooner while it holds work', async () => {
  await clock.wind();
  expect(seen).toEqual(['connected', 'work 3']);
  expect(clock.nextWaitMs()).toBeGreaterThanOrEqual(pollIdleMs * 0.75);
  workAnswer = () => busy;
  await clock.wind();
  expect(seen.at(-1)).toBe('work 4');
  expect(clock.nextWaitMs()).toBeLessThanOrEqual(pollBusyMs * 1.25);
});

test('a control plane that is away is asked ever more rarely, for ever, and found again', async () => {
  await clock.wind();
  workAnswer = () => down;
  const waits: number[] = [];
  for (let tries = 0; tries < 40; tries++) {
    await clock.wind();
    waits.push(clock.nextWaitMs()!);
  }
  expect(seen).toEqual(['connected', 'work 3', 'disconnected: it does not answer']);
  expect(Math.max(...waits)).toBeLessThanOrEqual(reconnectMsMax);
  expect(Math.max(...waits.slice(20))).toBeGreaterThan(Math.max(...waits.slice(0, 3)));
  workAnswer = () => busy;
  await clock.wind();
  expect(seen.slice(3)).toEqual(['connected', 'work 4']);
  // The waits begin anew.
  workAnswer = () => down;
  await clock.wind();
  expect(clock.nextWaitMs()).toBeLessThanOrEqual(1_000);
});

test('a fault of its own is said, and is no trouble of the network', async () => {
  await clock.wind();
  workAnswer = () => broken;
  for (let polls = 0; polls < 10; polls++) await clock.wind();
  expect(clock.nextWaitMs()).toBeLessThanOrEqual(pollIdleMs * 1.25);
  expect(await link.report(document)).toBe('accepted');
  expect(log).toHaveLength(1);
  expect(log[0]).toMatch(/^edge-1: a defect .*nobody thought of this.* at /);
  workAnswer = () => busy;
  await clock.wind();
  expect(seen).toEqual(['connected', 'work 3', 'work 4']);
});

test('it waits for as long as a busy control plane asks it to', async () => {
  workAnswer = () => new ControlPlaneError('429', 429, 'too-many-requests', 45_000);
  await clock.wind();
  expect(clock.nextWaitMs()).toBe(45_000);
});

test('one refusal may be a mistake, two in a row are a verdict', async () => {
  await clock.wind();
  workAnswer = () => refusal;
  await clock.wind();
  workAnswer = () => idle;
  await clock.wind();
  workAnswer = () => refusal;
  await clock.wind();
  expect(seen.filter((line) => line.startsWith('revoked'))).toEqual([]);
  await clock.wind();
  expect(seen.at(-1)).toBe('revoked: 401');
  expect(clock.nextWaitMs()).toBeNull();
});

test('a report is answered, refused for good, or nobody knows', async () => {
  expect(await link.report(document)).toBe('unanswered');
  await clock.wind();
  expect(await link.report(document)).toBe('accepted');
  reportAnswer = () => down;
  expect(await link.report(document)).toBe('unanswered');
  reportAnswer = () => new ControlPlaneError('503', 503, 'unavailable', null);
  expect(await link.report(document)).toBe('unanswered');
  reportAnswer = () => new ControlPlaneError('400', 400, 'invalid-request', null);
  expect(await link.report(document)).toBe('rejected');
});

test('facts go with the next report that arrives, and with no other', async () => {
  await clock.wind();
  await link.publishFacts(facts);
  reportAnswer = () => down;
  await link.report(document);
  reportAnswer = () => ({});
  await link.report(document);
  await link.report(document);
  expect(reports).toEqual([{ ...document, facts }, { ...document, facts }, document]);
});

test('facts that changed while a report was on its way go with the next one', async () => {
  await clock.wind();
  await link.publishFacts(facts);
  const sending = link.report(document);
  const changed: Facts = { ...facts, facts: { arch: 'arm64' } };
  await link.publishFacts(changed);
  await sending;
  await link.report(document);
  expect(reports).toEqual([
    { ...document, facts },
    { ...document, facts: changed },
  ]);
});

test('once stopped it asks no more', async () => {
  await clock.wind();
  await link.stop();
  expect(clock.nextWaitMs()).toBeNull();
});

test('while another agent has its identity it asks rarely, and not after reports', async () => {
  await clock.wind();
  link.giveWay(true);
  await clock.wind();
  expect(clock.nextWaitMs()).toBeGreaterThanOrEqual(pollDisplacedMs * 0.75);
  await link.report(document);
  expect(clock.nextWaitMs()).toBeGreaterThanOrEqual(pollDisplacedMs * 0.75);
  link.giveWay(false);
  await clock.wind();
  expect(clock.nextWaitMs()).toBeLessThanOrEqual(pollIdleMs * 1.25);
});
