/**
 * Where an edge finds its broker: `host`, `host:port`, or a URL whose scheme says how. Without TLS
 * only on this machine: elsewhere whoever is on the way could read and write the work of the edge.
 */
export type BrokerAddress = {
  readonly protocol: 'mqtts' | 'mqtt';
  readonly host: string;
  readonly port: number;
};

const ports = { mqtts: 8883, mqtt: 1883 } as const;

/** `null` for what is no such address, and for plain MQTT to another machine. */
export function parseBrokerAddress(text: string): BrokerAddress | null {
  const [, scheme, rest] = /^(?:(mqtts?):\/\/)?([^/?#@\s]+)$/.exec(text) ?? [];
  if (rest === undefined || !URL.canParse(`mqtts://${rest}`)) return null;
  const url = new URL(`mqtts://${rest}`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const protocol = scheme === 'mqtt' ? 'mqtt' : 'mqtts';
  if (host === '' || (protocol === 'mqtt' && !isLoopback(host))) return null;
  return { protocol, host, port: url.port === '' ? ports[protocol] : Number(url.port) };
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
