import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeProduct, type Product } from './product.ts';

/** Work may come before there is anything to do it on. */
let product: Product;
beforeEach(async () => {
  product = await makeProduct();
});
afterEach(() => product.remove());

test('three jobs wait for the first edge, and its start is all they need', async () => {
  await product.startCloud();
  const jobs = [];
  for (let i = 0; i < 3; i++) jobs.push(await product.submit({ power: 403 }));
  for (const { id } of jobs) {
    const { status } = await product.jobWhen(id, 'waiting for edges', ({ status: { waiting } }) =>
      (waiting ?? []).some(({ reason }) => reason === 'no-edges'),
    );
    expect(status).toMatchObject({ state: 'pending', percent: 0, executions: [] });
  }
  product.startAgent('edge-1');
  for (const { id } of jobs) {
    const { status } = await product.done(id);
    expect(status).toMatchObject({ percent: 100, chunks: { total: 4, done: 4 } });
    expect(new Set(status.executions?.map(({ edge }) => edge))).toEqual(new Set(['edge-1']));
  }
});
