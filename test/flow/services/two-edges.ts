import type { Job } from '../../../core/contract/resources.ts';
import { runClient } from '../cli/client.ts';
import { makeProduct, type Product } from '../product.ts';

/** Where the flows of services run: the whole product with two edges that run programs. */
export async function startOnTwoEdges(): Promise<Product> {
  const product = await makeProduct();
  try {
    await product.startCloud();
    for (const name of ['one', 'two']) product.startAgent(name, '--quiet', '--executor', 'process');
    await product.untilConnected(2);
    return product;
  } catch (error) {
    await product.remove();
    throw error;
  }
}

export function runIn(product: Product, words: readonly string[]) {
  return runClient(product.place.directory, ...words);
}

export const isReady =
  (wanted: number) =>
  ({ status: { state, service } }: Job): boolean =>
    state === 'running' && service?.wanted === wanted && service.ready === wanted;
