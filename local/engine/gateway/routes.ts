/** Method and path to the name of an operation; `{name+}` takes the rest of the path. */
import type { IncomingMessage } from 'node:http';

export type Route = {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
};

export type Found = {
  readonly operation: string;
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
};

export type Request = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

type Routes = {
  find(req: Request): Found | undefined;
  /** With this method or another one. */
  knowsPath(req: Request): boolean;
};

export function routesOf(routes: readonly Route[]): Routes {
  const compiled = routes.map((route) => ({
    ...route,
    pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)(\+?)\}/g, segment)}/?$`),
  }));
  return {
    find(req) {
      const [path = '', query = ''] = (req.url ?? '').split('?', 2);
      for (const route of compiled) {
        const match = route.method === req.method ? route.pattern.exec(path) : null;
        if (match === null) continue;
        const parts = Object.entries(match.groups ?? {});
        return {
          operation: route.operation,
          path: Object.fromEntries(parts.map(([name, text]) => [name, decoded(text)])),
          query: new URLSearchParams(query),
        };
      }
      return undefined;
    },
    knowsPath: (req) => {
      const [path = ''] = (req.url ?? '').split('?', 1);
      return compiled.some((route) => route.pattern.test(path));
    },
  };
}

const segment = (_: string, name: string, rest: string): string =>
  `(?<${name}>${rest === '' ? '[^/]+' : '.+'})`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
