/** MQTT over WebSocket: connections of who signs, made into streams that the broker takes. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import { type Peer, plainAddress, type Signer } from '../broker/peer.ts';
import { payloadBytesMax } from '../limits.ts';
import { handshake, refuseUpgrade, type SignedBy, subprotocols } from './handshake.ts';

export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

type Options = {
  readonly signedBy: SignedBy;
  readonly mqtt: (connection: Duplex) => void;
  readonly log: (line: string) => void;
};

/** A PUBLISH of the largest payload with its topic and properties. */
const frameBytesMax = payloadBytesMax + 16_384;
/** "If any other type of data frame is received the recipient MUST close the connection." */
const unsupportedData = 1003;

export function webSockets({ signedBy, mqtt, log }: Options): Upgrade {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: frameBytesMax,
    handleProtocols: (offered) => subprotocols.find((name) => offered.has(name)) ?? false,
  });
  return (request, socket, head) => {
    const verdict = handshake(request, signedBy);
    if ('status' in verdict) {
      log(`MQTT: a WebSocket was refused: ${verdict.status} ${verdict.message}`);
      return refuseUpgrade(socket, verdict);
    }
    const peer = peerOf(request, verdict);
    server.handleUpgrade(request, socket, head, (webSocket) => mqtt(streamOf(webSocket, peer)));
  };
}

function peerOf({ socket }: IncomingMessage, signer: Signer): Peer {
  return {
    principal: signer.principal,
    signer,
    commonName: '',
    ipAddress: plainAddress(socket.remoteAddress),
    port: socket.remotePort ?? 0,
    targetIp: plainAddress(socket.localAddress),
  };
}

function streamOf(webSocket: WebSocket, peer: Peer): Duplex {
  webSocket.on('message', (_data, isBinary) => {
    if (!isBinary) webSocket.close(unsupportedData);
  });
  return Object.assign(createWebSocketStream(webSocket), { peer });
}
