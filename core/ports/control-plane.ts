import type { EdgeName } from '../model/names.ts';

/**
 * Things and certificates. Every step may be repeated: what is there already is left, what is gone
 * already is gone.
 */
export type Certificate = { readonly id: string; readonly pem: string };

export type ControlPlane = {
  /** The thing of the edge, and a certificate with which it may connect. */
  enrol(edge: EdgeName, csr: string): Promise<Certificate>;
  /** A thing without a certificate, for an edge that only talks over HTTPS. */
  createThing(edge: EdgeName): Promise<void>;
  /** Takes back a certificate that came to nothing; the thing may be somebody else's. */
  discard(edge: EdgeName, certificateId: string): Promise<void>;
  /** The thing with its shadows, and its certificate if it has one. */
  remove(edge: EdgeName, certificateId: string | null): Promise<void>;
  /** Where edges connect. */
  endpoint(): Promise<string>;
};
