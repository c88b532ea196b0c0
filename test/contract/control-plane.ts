import { expect, test } from 'vitest';
import { edgeNameOf } from '../../core/model/names.ts';
import { encodeWork } from '../../core/protocol/work.ts';
import { makeKey, signingRequest } from '../lambdas/api/signing-request.ts';
import type { ServicesContract } from './services.ts';

let made = 0;
const freshEdge = () => edgeNameOf(`plane-edge-${++made}`);
const csr = () => signingRequest(makeKey());

/** What every control plane promises: each step may be repeated, and has one effect. */
export const controlPlaneContract: ServicesContract = (services) => {
  test('an edge that enrols has a certificate of its own, one for each time', async () => {
    const { controlPlane, certificatesOf } = services();
    const edge = freshEdge();
    const first = await controlPlane.enrol(edge, csr());
    const second = await controlPlane.enrol(edge, csr());
    expect(first.pem).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(first.id).not.toBe(second.id);
    expect((await certificatesOf(edge)).toSorted()).toEqual([first.id, second.id].toSorted());
  });

  test('what is no signing request is refused by name, and leaves no certificate', async () => {
    const { controlPlane, certificatesOf } = services();
    const edge = freshEdge();
    const refused = { name: 'InvalidRequestException' };
    await expect(controlPlane.enrol(edge, 'nonsense')).rejects.toMatchObject(refused);
    expect(await certificatesOf(edge)).toEqual([]);
  });

  test('an edge without a certificate is known as often as it is made', async () => {
    const { controlPlane, certificatesOf } = services();
    const edge = freshEdge();
    for (let time = 1; time <= 2; time++) await controlPlane.createThing(edge);
    expect(await certificatesOf(edge)).toEqual([]);
  });

  test('a certificate that came to nothing goes alone', async () => {
    const { controlPlane, certificatesOf } = services();
    const edge = freshEdge();
    const [kept, gone] = [
      await controlPlane.enrol(edge, csr()),
      await controlPlane.enrol(edge, csr()),
    ];
    for (let time = 1; time <= 2; time++) await controlPlane.discard(edge, gone.id);
    expect(await certificatesOf(edge)).toEqual([kept.id]);
  });

  test('with an edge go its certificate and its documents, and its name is free', async () => {
    const { controlPlane, certificatesOf, work, shadows } = services();
    const edge = freshEdge();
    const { id } = await controlPlane.enrol(edge, csr());
    await work.write(edge, encodeWork({ epoch: 1, acknowledgedSequence: null, jobs: new Map() }));
    for (let time = 1; time <= 2; time++) await controlPlane.remove(edge, id);
    expect(await certificatesOf(edge)).toEqual([]);
    expect(await shadows.readWork(edge)).toBeNull();
    const again = await controlPlane.enrol(edge, csr());
    expect(await certificatesOf(edge)).toEqual([again.id]);
    expect(await shadows.readWork(edge)).toBeNull();
  });

  test('an edge that never had a certificate goes as well', async () => {
    const { controlPlane } = services();
    const edge = freshEdge();
    await controlPlane.createThing(edge);
    for (let time = 1; time <= 2; time++) await controlPlane.remove(edge, null);
  });

  test('where edges connect is one address', async () => {
    const { controlPlane } = services();
    const endpoint = await controlPlane.endpoint();
    expect(endpoint).toMatch(/^[\w.-]+(:\d+)?$/);
    expect(await controlPlane.endpoint()).toBe(endpoint);
  });
};
