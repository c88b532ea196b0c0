/** A port on which the instances of a service are reached: each has its own, on its own edge. */
export type ServicePort = {
  readonly name: string;
  /** Where a container listens; `null`: at the port that its edge gives. */
  readonly target: number | null;
  /** Of the edge; `null`: one that is free there. */
  readonly port: number | null;
  readonly protocol: 'tcp' | 'udp';
};

/** By which an instance learns its port: `EDGEWISE_PORT_HTTP`. */
export function portVariable(name: string): string {
  return `EDGEWISE_PORT_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** What an edge has given, by the name of the port. */
export type GivenPorts = ReadonlyMap<string, number>;
