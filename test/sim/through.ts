import type { Invocation } from './invocation.ts';

type Port = Readonly<Record<string, unknown>>;

/**
 * A store as a function meets it: each of its operations is a call to the world, which takes time
 * and may fail before it happened or after.
 */
export function through<T extends object>(call: Invocation['call'], name: string, port: T): T {
  const methods = Object.entries(port as Port).map(([method, operation]) => [
    method,
    (...args: unknown[]) =>
      call(`${name} ${method}`, () => (operation as (...args: unknown[]) => unknown)(...args)),
  ]);
  return Object.fromEntries(methods) as T;
}
