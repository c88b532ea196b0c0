/**
 * `npm run docs -- [--out DIR] [--source URL]`: the documentation as a site of plain files, with a
 * search that needs no server; `dist/docs/index.html` opens from the disk. With `--source` what is
 * not on the site, such as a file of code, is linked below that address.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endWith, root, Stop } from './repository.mjs';
import { writeSite } from './site/write-site.ts';

function wanted() {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(root, 'dist', 'docs') },
      source: { type: 'string' },
    },
  });
  const source = values.source?.replace(/\/?$/, '/') ?? null;
  if (source !== null && !/^https?:$/.test(URL.parse(source)?.protocol ?? '')) {
    throw new Stop(`--source ${values.source} is no address that begins with http:// or https://.`);
  }
  return { directory: resolve(values.out), source };
}

try {
  const { directory, source } = wanted();
  const { pages, files } = writeSite({ directory, source });
  console.log(`${pages} pages and ${files} files beside them: ${join(directory, 'index.html')}`);
} catch (error) {
  endWith(error);
}
