import type { EdgeName } from '../model/names.ts';

/**
 * Things and certificates. Every step may be repeated: what is there already is left, what is gone
 * already is gone.
 */
export type Certificate = { readonly id: string; readonly pem: string };

/** What the certificate authority made of a signing request; why it refused one is its own text. */
export type Certification =
  | { readonly kind: 'certified'; readonly certificate: Certificate }
  | { readonly kind: 'refused'; readonly reason: string };

export type ControlPlane = {
  /** The thing of the edge, and a certificate with which it may connect. */
  enrol(edge: EdgeName, csr: string): Promise<Certification>;
  /** A thing without a certificate, for an edge that is linked over HTTPS only. */
  createThing(edge: EdgeName): Promise<void>;
  /** Takes back a certificate that came to nothing; the thing may be somebody else's. */
  discard(edge: EdgeName, certificateId: string): Promise<void>;
  /** The thing with its shadows, and its certificate if it has one. */
  remove(edge: EdgeName, certificateId: string | null): Promise<void>;
  /** The name of the edge's thing: its topics and its client id are made of it. */
  thingOf(edge: EdgeName): string;
  /** Where edges connect: `host` or `host:port`. */
  endpoint(): Promise<string>;
};
