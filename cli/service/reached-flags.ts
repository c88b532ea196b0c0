import { usage } from '../failure.ts';
import type { JobBody } from '../job/input/job-flags.ts';

/** Where instances are reached and when they are ready, in words on a line. */
export const reachedFlags = {
  port: {
    kind: 'list',
    value: 'NAME[=PORT][:TARGET]',
    about: 'a port of each instance: http, http=8080, http:80, http=8080:80',
  },
  'ready-http': {
    kind: 'text',
    value: 'NAME[/PATH]',
    about: 'ready while this port answers, like http/health',
  },
  'ready-after': { kind: 'number', value: 'S', min: 0, about: 'seconds until it is ready' },
} as const;

export type ReachedFlags = {
  readonly port: readonly string[];
  readonly 'ready-http': string | undefined;
  readonly 'ready-after': number | undefined;
};

export function reachedBy(flags: ReachedFlags): JobBody {
  const { 'ready-http': http, 'ready-after': afterSeconds } = flags;
  if (http !== undefined && afterSeconds !== undefined) {
    throw usage('Give --ready-http or --ready-after, not both.');
  }
  return {
    ...(flags.port.length > 0 && { ports: flags.port.map(portOf) }),
    ...(http !== undefined && { ready: { http: probeOf(http) } }),
    ...(afterSeconds !== undefined && { ready: { afterSeconds } }),
  };
}

function portOf(text: string): object {
  const match = /^([^=:]+)(?:=(\d{1,5}))?(?::(\d{1,5}))?$/.exec(text);
  if (match === null) throw usage(`"${text}" is no port: write http, http=8080 or http=8080:80.`);
  const [, name, port, target] = match;
  return {
    name,
    ...(port !== undefined && { port: Number(port) }),
    ...(target !== undefined && { target: Number(target) }),
  };
}

function probeOf(text: string): object {
  const at = text.indexOf('/');
  return at < 0 ? { port: text } : { port: text.slice(0, at), path: text.slice(at) };
}
