import { expect, test } from 'vitest';
import { type EdgeName, edgeNameOf } from '../../core/model/names.ts';
import type { Certificate, ControlPlane } from '../../core/ports/control-plane.ts';
import { encodeWork } from '../../core/protocol/work.ts';
import { makeKey, signingRequest } from '../lambdas/api/signing-request.ts';
import type { ServicesContract } from './services.ts';

let made = 0;
const freshEdge = () => edgeNameOf(`plane-edge-${++made}`);
const csr = () => signingRequest(makeKey());

async function certified(controlPlane: ControlPlane, edge: EdgeName): Promise<Certificate> {
  const outcome = await controlPlane.enrol(edge, csr());
  if (outcome.kind === 'refused') throw new Error(outcome.reason);
  return outcome.certificate;
}

/** What every control plane promises: each step may be repeated, and has one effect. */
export const controlPlaneContract: ServicesContract = (services) => {
  test('an edge that enrols has a certificate of its own, one for each time', async () => {
    const { controlPlane, certificatesOf } = services();
    const edge = freshEdge();
    const first = await certified(controlPlane, edge);
    const second = await certified(controlPlane, edge);
    expect(first.pem).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(first.id).not.toBe(second.id);
    expect((await certificatesOf(edge)).toSorted()).toEqual([first.id, second.id].toSorted());
  });

  test('what is no signing request is refused with a reason, and leaves no certificate', async () => {
    const { controlPlane, certificatesOf } = services();
    const edge = freshEdge();
    const refused = { kind: 'refused', reason: expect.stringMatching(/./) };
    expect(await controlPlane.enrol(edge, 'nonsense')).toEqual(refused);
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
    const [kept, gone] = [await certified(controlPlane, edge), await certified(controlPlane, edge)];
    for (let time = 1; time <= 2; time++) await controlPlane.discard(edge, gone.id);
    expect(await certificatesOf(edge)).toEqual([kept.id]);
  });

  test('with an edge go its certificate and its documents, and its name is free', async () => {
    const { controlPlane, certificatesOf, work, shadows } = services();
    const edge = freshEdge();
    const { id } = await certified(controlPlane, edge);
    await work.write(edge, encodeWork({ epoch: 1, acknowledgedSequence: null, jobs: new Map() }));
    for (let time = 1; time <= 2; time++) await controlPlane.remove(edge, id);
    expect(await certificatesOf(edge)).toEqual([]);
    expect(await shadows.readWork(edge)).toBeNull();
    const again = await certified(controlPlane, edge);
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
