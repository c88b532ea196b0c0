import type { RunCommand } from '../host/command.ts';
import { imagePullTimeoutMs } from '../limits.ts';

/** Images of this host's container engine. */
export type Images = {
  /** `null` when the image is there, else why not. */
  provide(image: string): Promise<string | null>;
};

type ImagesDeps = { readonly runCommand: RunCommand; readonly engine: string };

/** Each image is pulled once, however many chunks wait for it. */
export function makeImages(deps: ImagesDeps): Images {
  const pulls = new Map<string, Promise<string | null>>();
  return {
    provide(image) {
      let pull = pulls.get(image);
      if (pull === undefined) {
        pull = pullImage(deps, image).then((reason) => {
          // A failure is tried again with the next chunk.
          if (reason !== null) pulls.delete(image);
          return reason;
        });
        pulls.set(image, pull);
      }
      return pull;
    },
  };
}

async function pullImage(
  { engine, runCommand }: ImagesDeps,
  image: string,
): Promise<string | null> {
  const here = await runCommand([engine, 'image', 'inspect', image]);
  if (here.code === 0) return null;
  const pulled = await runCommand([engine, 'pull', image], imagePullTimeoutMs);
  if (pulled.code === 0) return null;
  return `image ${image} cannot be pulled`;
}
