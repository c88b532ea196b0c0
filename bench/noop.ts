import { type Product, rounded, runJob, withFleet, withProduct } from './product/running-fleet.ts';
import type { Figures } from './run.ts';

/**
 * Chunks that do nothing, through the whole product: what is left is what a chunk costs. On ten
 * edges of 250 slots, and on three of 5,000, with the longest time in which nothing went on.
 * `NOOP_CHUNKS` is how many.
 */
const chunks = Number(process.env.NOOP_CHUNKS ?? 1_000_000);

export function run(): Promise<readonly Figures[]> {
  return withProduct(async (product) => {
    const many = await measure(product, 10, 250);
    const large = await measure(product, 3, 5_000);
    const ratio = many.seconds / large.seconds;
    return [
      ...many.figures,
      ...large.figures,
      { figure: 'three edges of 5,000 slots to ten of 250, times', value: rounded(ratio) },
    ];
  });
}

function measure(product: Product, edges: number, power: number) {
  return withFleet(product, { edges, power }, async () => {
    const job = (count: number) => ({ chunks: count, run: { simulate: { seconds: 0 } } });
    await runJob(product.place, job(10_000));
    const { seconds, stallSeconds } = await runJob(product.place, job(chunks));
    const where = `${edges} edges of ${power} slots`;
    const figures: Figures[] = [
      { figure: `no-op chunks per second, ${where}`, value: Math.round(chunks / seconds) },
      { figure: `longest stall, ${where}, seconds`, value: rounded(stallSeconds) },
    ];
    return { seconds, figures };
  });
}
