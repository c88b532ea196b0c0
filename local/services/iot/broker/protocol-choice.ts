/**
 * One port for what AWS IoT has three for: MQTT (8883), HTTPS with certificates (8443), and either
 * of them by its name in TLS (443: `x-amzn-mqtt-ca`, `x-amzn-http-ca`). A client that names none is
 * known by its first byte: a CONNECT begins with 0x10, a request with a letter.
 */
import type { TLSSocket } from 'node:tls';
import { firstPacketMs } from '../limits.ts';

const mqttNames = ['x-amzn-mqtt-ca', 'mqtt'];
const httpNames = ['x-amzn-http-ca', 'http/1.1'];

/** Names that a client may choose from, the preferred one first. */
export const protocolNames = [...mqttNames, ...httpNames];

const connect = 0x10;

export type ProtocolDoors = {
  mqtt(socket: TLSSocket): void;
  http(socket: TLSSocket): void;
};

export function chooseProtocol(socket: TLSSocket, { mqtt, http }: ProtocolDoors): void {
  const named = String(socket.alpnProtocol);
  if (mqttNames.includes(named)) mqtt(socket);
  else if (httpNames.includes(named)) http(socket);
  else chooseByFirstByte(socket, { mqtt, http });
}

function chooseByFirstByte(socket: TLSSocket, { mqtt, http }: ProtocolDoors): void {
  const ignore = () => undefined;
  const giveUp = () => socket.destroy();
  const look = () => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    socket.off('readable', look);
    socket.off('error', ignore);
    socket.setTimeout(0, giveUp);
    socket.off('timeout', giveUp);
    socket.unshift(chunk);
    if (chunk[0] === connect) mqtt(socket);
    else http(socket);
  };
  socket.on('error', ignore);
  socket.setTimeout(firstPacketMs, giveUp);
  socket.on('readable', look);
}
