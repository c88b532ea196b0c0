/**
 * MQTT 5 in front of a broker that speaks MQTT 3.1.1: the version is read from the first packet,
 * and a connection of version 5 goes through a stream that translates each packet on its way.
 */
import { Duplex } from 'node:stream';
import { generate, type Packet, parser } from 'mqtt-packet';
import type { DisconnectReason } from '../broker/connection.ts';
import { type Peer, peerOf } from '../broker/peer.ts';
import { firstPacketMs } from '../limits.ts';
import { disconnectCode, translation } from './packets.ts';

type Translated = Duplex & { readonly peer: Peer };

type Needs = {
  /** Ends the session that a clean start is not to find. */
  readonly endSession: (clientId: string) => Promise<void>;
  /** Why the connection ends, asked when it does. */
  readonly reason: (connection: object) => DisconnectReason | undefined;
};

/** Hands over the connection as the broker understands it, once its version is known. */
export function whenUnderstood(
  socket: Duplex,
  needs: Needs,
  go: (connection: Duplex) => void,
): void {
  let seen = Buffer.alloc(0);
  const ignore = () => undefined;
  const patience = setTimeout(() => socket.destroy(), firstPacketMs).unref();
  const look = () => {
    const chunk = socket.read() as Buffer | null;
    if (chunk !== null) seen = Buffer.concat([seen, chunk]);
    const version = versionOf(seen);
    if (version === undefined) return;
    socket.off('readable', look);
    socket.off('error', ignore);
    clearTimeout(patience);
    socket.unshift(seen);
    go(version === 5 ? translated(socket, needs) : socket);
  };
  socket.on('error', ignore);
  socket.once('close', () => clearTimeout(patience));
  socket.on('readable', look);
}

/** The version byte of a CONNECT; 0 for what is none; undefined while it has not come. */
function versionOf(bytes: Buffer): number | undefined {
  if (bytes.length > 0 && bytes[0] !== 0x10) return 0;
  let at = 1;
  while (at < bytes.length && at < 4 && (bytes[at]! & 0x80) !== 0) at++;
  const name = at + 1;
  if (bytes.length < name + 2) return undefined;
  const length = bytes.readUInt16BE(name);
  return length > 6 ? 0 : bytes[name + 2 + length];
}

function translated(socket: Duplex, needs: Needs): Translated {
  const { startsClean, toBroker, toClient } = translation();
  const fromClient = parser();
  const fromBroker = parser();
  const write = (packet: Packet) => socket.write(generate(packet, { protocolVersion: 5 }));
  const stream = new Duplex({
    read: () => void socket.resume(),
    write(chunk: Buffer, _encoding, done) {
      fromBroker.parse(chunk);
      if (socket.writableNeedDrain) socket.once('drain', () => done());
      else done();
    },
    final(done) {
      socket.end(() => done());
    },
    destroy(error, done) {
      const reasonCode = disconnectCode(needs.reason(stream));
      if (reasonCode !== undefined && socket.writable) write({ cmd: 'disconnect', reasonCode });
      // What is written still goes out; after that the socket closes.
      socket.end(() => socket.destroy());
      done(error);
    },
  });
  // A clean start waits for the file, and what follows it waits for the clean start.
  let before: Promise<void> = Promise.resolve();
  const pass = async (packet: Packet): Promise<void> => {
    const clientId = startsClean(packet);
    if (clientId !== undefined) await needs.endSession(clientId);
    const next = toBroker(packet);
    if (next === 'end') stream.destroy();
    else if (next !== undefined && !stream.destroyed && !stream.push(generate(next))) {
      socket.pause();
    }
  };
  fromClient.on('packet', (packet: Packet) => {
    before = before.then(() => pass(packet)).catch((error: Error) => void stream.destroy(error));
  });
  fromClient.on('error', (error) => stream.destroy(error as Error));
  fromBroker.on('packet', (packet: Packet) => void write(toClient(packet)));
  socket.on('data', (chunk) => fromClient.parse(chunk));
  socket.on('end', () => void before.then(() => stream.push(null)));
  socket.on('error', (error) => stream.destroy(error));
  socket.on('close', () => stream.destroy());
  return Object.assign(stream, { peer: peerOf(socket) });
}
