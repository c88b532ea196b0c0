import type { Table } from '../../../adapters/dynamodb/table.ts';
import { openTable } from '../../table.ts';
import type { Ports } from '../ports.ts';

type Makers = { readonly [K in keyof Ports]: (table: Table) => Ports[K] };

/** Makes the ports of a function once, at its first request, around the one table. */
export function onTable<K extends keyof Ports>(makers: Pick<Makers, K>): () => Pick<Ports, K> {
  let ports: Pick<Ports, K> | null = null;
  return () => {
    ports ??= makeAll(makers, openTable());
    return ports;
  };
}

function makeAll<K extends keyof Ports>(makers: Pick<Makers, K>, table: Table): Pick<Ports, K> {
  const made: Partial<Pick<Ports, K>> = {};
  for (const name of Object.keys(makers) as K[]) made[name] = makers[name](table);
  return made as Pick<Ports, K>;
}
