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

export function routesOf(routes: readonly Route[]) {
  const compiled = routes.map((route) => ({
    ...route,
    pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)(\+?)\}/g, segment)}/?$`),
  }));
  return {
    find(req: Request): Found | undefined {
      const [rawPath = '', rawQuery = ''] = (req.url ?? '').split('?', 2);
      for (const route of compiled) {
        const groups =
          route.method === req.method ? route.pattern.exec(rawPath)?.groups : undefined;
        if (groups === undefined && !(route.method === req.method && route.pattern.test(rawPath))) {
          continue;
        }
        return {
          operation: route.operation,
          path: Object.fromEntries(
            Object.entries(groups ?? {}).map(([name, text]) => [name, decoded(text)]),
          ),
          query: new URLSearchParams(rawQuery),
        };
      }
      return undefined;
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
