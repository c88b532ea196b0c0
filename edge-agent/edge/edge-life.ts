import type { Facts } from '../../core/protocol/facts.ts';
import type { EdgeMemory } from '../disk/replay.ts';
import { sleep } from '../host/clock.ts';
import {
  reconnectMsMax,
  reconnectMsMin,
  renewAgainMs,
  renewCheckMs,
  secondQuestionMs,
} from '../limits.ts';
import { makeBackoff } from '../link/backoff.ts';
import { type ControlPlaneApi, ControlPlaneError } from '../link/control-plane-api.ts';
import { EnrolmentFailed, type EnrolmentRequest, enrol } from '../link/enrolment.ts';
import { makeHttpLink } from '../link/http-link.ts';
import { type Identity, loadIdentity, renewalAtMs } from '../link/identity.ts';
import type { Limiter } from '../link/limiter.ts';
import type { Link } from '../link/link.ts';
import { makeMqttLink } from '../link/mqtt-link.ts';
import { makeTaker, type PullOptions } from '../link/offer-taker.ts';
import { tellDefects } from '../link/own-defects.ts';
import type { LiveOutput } from '../live/live-output.ts';
import { type FactsTelling, makeFactsTelling } from '../report/facts-telling.ts';
import { Edge } from './edge.ts';
import type { EdgeDeps } from './edge-deps.ts';

/**
 * The life of one edge in the agent: without identity → enrolling → linked (connecting by itself
 * for ever) → revoked.
 *
 * With an identity on disk it works at once, before and without any link. A certificate is renewed
 * long before its end. An edge that the control plane does not know any more stops what it runs and
 * says so; only at its start, and only with an enrol token, it may become a new edge of the same
 * name instead.
 */
export type EdgeLifeDeps = Omit<EdgeDeps, 'secret' | 'name'> & {
  readonly name: string;
  readonly api: ControlPlaneApi;
  readonly live: Pick<LiveOutput, 'arrived'>;
  readonly directory: string;
  readonly enrolToken: string | null;
  readonly pool: string | null;
  readonly transport: 'mqtt' | 'http';
  /** Where the broker is, when not where the control plane says. */
  readonly mqttEndpoint: string | null;
  /** It takes its work by itself. */
  readonly pull: PullOptions | null;
  /** The same object as long as nothing changed. */
  readonly facts: () => Facts;
  readonly enrolLimiter: Limiter;
  readonly connectLimiter: Limiter;
  readonly signal: AbortSignal;
  readonly changed: () => void;
};

export type EdgeState = 'enrolling' | 'offline' | 'connected' | 'revoked';

export class EdgeLife {
  readonly edge: Edge;
  state: EdgeState = 'enrolling';
  stateReason = '';
  readonly #deps: EdgeLifeDeps;
  readonly #hasHistory: boolean;
  #identity: Identity | null;
  #link: Link | null = null;
  #wasConnected = false;
  #loggedReason = '';
  readonly #factsTelling: FactsTelling<Facts>;
  #cancelRenewal: () => void = () => {};

  constructor(deps: EdgeLifeDeps, memory: EdgeMemory) {
    this.#deps = deps;
    this.#identity = loadIdentity(deps.directory);
    this.#hasHistory = memory.sequence > 0;
    this.#factsTelling = makeFactsTelling(
      deps.clock,
      async (facts) => (await this.#link?.publishFacts(facts)) === true,
    );
    this.edge = new Edge({ ...deps, secret: () => this.#identity?.secret ?? '' }, memory);
  }

  get secret(): string | null {
    return this.#identity?.secret ?? null;
  }

  get isEnrolled(): boolean {
    return this.#identity !== null;
  }

  /**
   * Enrols when need be and opens the link; resolves when that is under way, throws when it cannot
   * be.
   */
  async begin(): Promise<void> {
    this.#checkPool();
    if (this.#identity === null || this.#lacksCertificate(this.#identity)) {
      this.#identity = await this.#deps.enrolLimiter(() => this.#enrolPatiently());
    }
    if (this.#identity === null || this.#deps.signal.aborted) return;
    this.#setState('offline', 'connecting');
    this.#openLink(this.#hasHistory);
    this.#watchCertificate();
  }

  /** Facts are sent while there is a link: when they changed, and again now and then. */
  async tellFacts(): Promise<void> {
    if (this.state === 'connected') await this.#factsTelling.tell(this.#deps.facts());
  }

  async stop(): Promise<void> {
    this.#cancelRenewal();
    await this.edge.stop();
  }

  /** What it is started with later moves no edge; its users do. */
  #checkPool(): void {
    const { name, pool, log } = this.#deps;
    const own = this.#identity?.pool ?? null;
    if (own === null || pool === null || own === pool) return;
    log(
      `${name}: enrolled in pool ${own}, not ${pool}, and no start moves it. ` +
        `If it is not there by now: edgewise edge set ${name} --pool ${pool}`,
    );
  }

  #lacksCertificate(identity: Identity): boolean {
    return this.#deps.transport === 'mqtt' && identity.certificate === null;
  }

  async #enrolPatiently(): Promise<Identity | null> {
    const { enrolToken, name, clock, signal } = this.#deps;
    const credential = enrolToken ?? this.#identity?.secret ?? null;
    if (credential === null) {
      throw new EnrolmentFailed(
        `${name} is not enrolled yet: give it an enrol token once (--enrol-token-file).`,
        false,
      );
    }
    const backoff = makeBackoff(reconnectMsMin, reconnectMsMax);
    let isLogged = false;
    while (!signal.aborted) {
      try {
        const identity = await enrol(this.#deps.api, credential, this.#request());
        this.#deps.log(`${name}: enrolled`);
        return identity;
      } catch (error) {
        if (!(error instanceof EnrolmentFailed) || !error.isTemporary) throw error;
        if (!isLogged) this.#deps.log(`${error.message} Trying on.`, 'warning');
        isLogged = true;
      }
      await sleep(clock, backoff.next(), signal);
    }
    return null;
  }

  #request(): EnrolmentRequest {
    const { name, pool, directory, pull } = this.#deps;
    const offers = pull?.offers ?? null;
    return { edge: name, pool, facts: this.#deps.facts(), directory, offers };
  }

  #openLink(clearFirst: boolean): void {
    const { api, clock, connectLimiter, transport, mqttEndpoint, name, pull, log } = this.#deps;
    const handled = {
      ...this.edge.linkEvents,
      work: (document: unknown, isCurrent: boolean) => {
        this.edge.linkEvents.work(document, isCurrent);
        this.#deps.live.arrived(name, document);
      },
      connected: () => {
        this.#wasConnected = true;
        this.#loggedReason = '';
        this.#deps.log(`${name}: connected`);
        this.#setState('connected', '');
        this.edge.linkEvents.connected();
        void this.tellFacts();
      },
      disconnected: (reason: string) => {
        if (!this.#deps.signal.aborted) this.#tellOnce(reason);
        this.#setState('offline', reason);
        this.edge.linkEvents.disconnected(reason);
      },
      notConnected: (reason: string) => this.#tellOnce(reason),
      revoked: (reason: string) => void this.#revoked(reason),
    };
    const events = tellDefects(name, handled, log);
    const identity = (): Identity => {
      const known = this.#identity!;
      return mqttEndpoint === null ? known : { ...known, mqttEndpoint };
    };
    this.#link =
      transport === 'mqtt'
        ? makeMqttLink({
            identity,
            clock,
            events,
            turn: connectLimiter,
            clearFirst,
            isRevoked: () => this.#isRevoked(),
          })
        : makeHttpLink({
            ...{ api, clock, events, edge: name, secret: () => identity().secret },
            ...(pull === null ? {} : { take: makeTaker({ ...pull, api, clock, edge: name, log }) }),
          });
    this.edge.attach(this.#link);
    this.#link.start();
  }

  /** It tries for ever; the same reason is said once. */
  #tellOnce(reason: string): void {
    if (reason === this.#loggedReason) return;
    this.#loggedReason = reason;
    this.#deps.log(`${this.#deps.name}: not connected: ${reason}. Trying on.`, 'warning');
  }

  /**
   * A refusal of the broker may have many causes; the control plane, asked with the edge's secret,
   * knows.
   */
  async #isRevoked(): Promise<boolean> {
    for (let asked = 0; asked < 2; asked++) {
      if (asked > 0) await sleep(this.#deps.clock, secondQuestionMs, this.#deps.signal);
      try {
        await this.#deps.api.getWork(this.secret ?? '', this.#deps.name);
        return false;
      } catch (error) {
        if (!(error instanceof ControlPlaneError)) return false;
        if (!error.isRefusal && error.status !== 404) return false;
      }
    }
    return true;
  }

  async #revoked(reason: string): Promise<void> {
    const { enrolToken, name, log, signal } = this.#deps;
    await this.#link?.stop();
    if (signal.aborted) return;
    if (enrolToken !== null && !this.#wasConnected) {
      try {
        const identity = await enrol(this.#deps.api, enrolToken, this.#request());
        log(`${name}: was not known any more; enrolled again as a new edge`);
        this.#identity = identity;
        this.edge.reset();
        this.#openLink(true);
        return;
      } catch (error) {
        log((error as Error).message, 'error');
      }
    }
    this.edge.linkEvents.disconnected(reason);
    this.edge.reset();
    this.#setState('revoked', reason);
    log(
      `${name}: stopped. Its credentials were revoked or the edge was removed (${reason}). ` +
        'To use this host again, enrol it anew with an empty data directory.',
      'error',
    );
  }

  #watchCertificate(): void {
    const certificate = this.#identity?.certificate;
    if (certificate === null || certificate === undefined) return;
    const atMs = renewalAtMs(certificate);
    if (atMs === null) return;
    const waitMs = Math.min(Math.max(0, atMs - this.#deps.clock.nowMs()), renewCheckMs);
    this.#cancelRenewal = this.#deps.clock.after(waitMs, () => {
      const isDue = this.#deps.clock.nowMs() >= atMs;
      if (!isDue) return this.#watchCertificate();
      void this.#renewNow();
    });
  }

  async #renewNow(): Promise<void> {
    const identity = this.#identity;
    if (identity === null || this.state === 'revoked' || this.#deps.signal.aborted) return;
    try {
      const renewed = await enrol(this.#deps.api, identity.secret, this.#request());
      if (renewed.certificate === identity.certificate) {
        throw new Error('the control plane gave the old one again');
      }
      this.#identity = renewed;
      this.#deps.log(`${this.#deps.name}: certificate renewed`);
      await this.#link?.stop();
      this.edge.linkEvents.disconnected('certificate renewed');
      if (!this.#deps.signal.aborted) this.#openLink(false);
      this.#watchCertificate();
    } catch (error) {
      this.#deps.log(
        `${this.#deps.name}: certificate not renewed: ${(error as Error).message}`,
        'error',
      );
      this.#cancelRenewal = this.#deps.clock.after(renewAgainMs, () => void this.#renewNow());
    }
  }

  #setState(state: EdgeState, reason: string): void {
    const isNews = this.state !== state;
    this.state = state;
    this.stateReason = reason;
    if (isNews) this.#deps.changed();
  }
}
