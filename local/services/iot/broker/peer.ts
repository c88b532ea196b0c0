/** Who is at the other end of a connection, however it came. */
import type { TLSSocket } from 'node:tls';

/** Who signed the request for a connection; what it may do is for the policies of IAM. */
export type Signer = {
  /** As lifecycle events and rules name it: `AROA…:session`, or the account. */
  readonly principal: string;
  readonly allows: (action: string, resource: string) => boolean;
};

export type Peer = {
  /** Of its certificate, or of who signed. */
  readonly principal: string;
  readonly signer?: Signer;
  readonly commonName: string;
  readonly ipAddress: string;
  readonly port: number;
  readonly targetIp: string;
  /** The name that the client asked the server for in TLS. */
  readonly domainName?: string;
};

type Introduced = { readonly peer: Peer };

/** A stream in front of a connection carries its peer along. */
export const peerOf = (connection: unknown): Peer =>
  (connection as Partial<Introduced>).peer ?? certificatePeer(connection as TLSSocket);

function certificatePeer(socket: TLSSocket): Peer {
  const certificate = socket.getPeerCertificate();
  const { servername } = socket as TLSSocket & { readonly servername?: string | false };
  return {
    principal: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    commonName: String(certificate.subject?.CN ?? ''),
    ipAddress: plainAddress(socket.remoteAddress),
    port: socket.remotePort ?? 0,
    targetIp: plainAddress(socket.localAddress),
    ...(typeof servername === 'string' ? { domainName: servername } : {}),
  };
}

/** Without the prefix that an IPv4 address has on a socket of both kinds. */
export const plainAddress = (address: string | undefined): string =>
  address?.replace(/^::ffff:/, '') ?? '';
