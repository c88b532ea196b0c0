import { parseArgs } from 'node:util';
import { serveDashboard } from './serve-dashboard.ts';

/** The dashboard as a program of its own, beside the local cloud: `--dir`, `--port`, `--api`. */
const { values } = parseArgs({
  options: { dir: { type: 'string' }, port: { type: 'string' }, api: { type: 'string' } },
});
try {
  const dashboard = await serveDashboard({
    dir: values.dir ?? 'dist/dashboard',
    port: Number(values.port ?? 0),
    apiUrl: values.api ?? 'http://127.0.0.1:4567',
  });
  console.log(`Dashboard at ${dashboard.url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void dashboard.close().then(() => process.exit(0)));
  }
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  const busy = code === 'EADDRINUSE' || message.includes('EADDRINUSE');
  console.error(busy ? `Port ${values.port} is used by another program.` : message);
  process.exitCode = 1;
}
