import type { EdgeName } from '../../../core/model/names.ts';
import type { ProgressReportJson } from '../../../core/protocol/progress-report.ts';
import { acceptedWaitMs } from '../../../edge-agent/limits.ts';
import type { Link, LinkEvents, ReportAnswer } from '../../../edge-agent/link/link.ts';
import type { ReconnectPauses } from '../../../edge-agent/link/reconnect-pauses.ts';
import { makeProgressPatch } from '../../../edge-agent/report/progress-patch.ts';
import type { JsonObject } from '../../../local/services/iot/json.ts';
import type { ShadowMessage } from '../../../local/services/iot/shadow/service.ts';

/**
 * An edge's link over a network that loses, repeats, delays and reorders. It behaves as the MQTT
 * link does: after every connect it asks for the whole work, deltas are hints, and a report is
 * answered or times out.
 */
export type LinkWorld = {
  readonly after: (delayMs: number, name: string, run: () => void) => () => void;
  /** Carries something to the broker, or does not. */
  readonly send: (edge: EdgeName, deliver: () => void) => void;
  readonly getWork: (edge: EdgeName) => void;
  readonly updateProg: (edge: EdgeName, body: unknown) => void;
  /** The report as this edge tells it. */
  readonly forge: (edge: EdgeName, report: ProgressReportJson) => ProgressReportJson;
  /** A report leaves the edge: from now on everybody may know of it. */
  readonly reported: (edge: EdgeName, document: ProgressReportJson) => void;
  /** Says whether the network lets this edge in now, and tells the broker that it is there. */
  readonly admit: (edge: EdgeName) => boolean;
};

export class SimulatedLink implements Link {
  readonly #edge: EdgeName;
  readonly #world: LinkWorld;
  readonly #events: LinkEvents;
  readonly #pauses: ReconnectPauses;
  readonly #patch = makeProgressPatch();
  #isConnected = false;
  #isStopped = false;
  #deltaSinceGet = false;
  #waiting: { token: string; settle: (answer: ReportAnswer) => void } | null = null;

  constructor(edge: EdgeName, world: LinkWorld, events: LinkEvents, pauses: ReconnectPauses) {
    this.#edge = edge;
    this.#world = world;
    this.#events = events;
    this.#pauses = pauses;
  }

  start(): void {
    if (this.#isStopped) return;
    if (!this.#world.admit(this.#edge)) {
      this.#again();
      return;
    }
    this.#isConnected = true;
    this.#pauses.connected();
    this.#deltaSinceGet = false;
    this.#world.send(this.#edge, () => this.#world.getWork(this.#edge));
    this.#events.connected();
  }

  /** The network went away. */
  disconnect(): void {
    if (!this.#isConnected) return;
    this.#isConnected = false;
    this.#waiting?.settle('unanswered');
    this.#events.disconnected('cut');
    this.#again();
  }

  #again(): void {
    this.#world.after(this.#pauses.nextMs(), 'reconnect', () => this.start());
  }

  report(document: ProgressReportJson): Promise<ReportAnswer> {
    if (!this.#isConnected || this.#waiting !== null) return Promise.resolve('unanswered');
    this.#world.reported(this.#edge, document);
    const token = `${document.b}-${document.n}`;
    const forged = this.#world.forge(this.#edge, this.#patch.patch(document) as ProgressReportJson);
    const body = { state: { reported: forged }, clientToken: token };
    return new Promise((resolve) => {
      const settle = (answer: ReportAnswer) => {
        cancel();
        this.#waiting = null;
        if (answer === 'accepted') this.#patch.settle(document);
        resolve(answer);
      };
      const cancel = this.#world.after(acceptedWaitMs, 'no answer', () => settle('unanswered'));
      this.#waiting = { token, settle };
      this.#world.send(this.#edge, () => this.#world.updateProg(this.#edge, body));
    });
  }

  publishFacts(): Promise<boolean> {
    return Promise.resolve(true);
  }

  giveWay(mustGiveWay: boolean): void {
    this.#pauses.giveWay(mustGiveWay);
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return Promise.resolve();
  }

  hear({ topic, body }: ShadowMessage): void {
    if (!this.#isConnected) return;
    if (topic.endsWith('/work/update/delta')) {
      this.#deltaSinceGet = true;
      this.#events.work(body.state, false);
    } else if (topic.endsWith('/work/get/accepted')) {
      const state = body.state as JsonObject;
      this.#events.work(state.desired ?? { e: 0, w: {} }, !this.#deltaSinceGet);
    } else if (topic.endsWith('/work/get/rejected')) {
      if (!this.#deltaSinceGet) this.#events.work({ e: 0, w: {} }, true);
    } else if (topic.endsWith('/prog/update/accepted')) {
      if (body.clientToken === this.#waiting?.token) this.#waiting?.settle('accepted');
    } else if (topic.endsWith('/prog/update/rejected')) {
      if (body.clientToken === this.#waiting?.token) this.#waiting?.settle('rejected');
    }
  }
}
