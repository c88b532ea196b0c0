import { readdirSync } from 'node:fs';

/**
 * `npm run bench -- NAME [--json] [FLAGS]` runs `bench/<name>.ts`, which exports `run()`: it
 * measures and returns figures with their units in their names. Without a name it says which there
 * are.
 */
export type Figures = Readonly<Record<string, number | string>>;

type Bench = { run(flags: readonly string[]): Promise<readonly Figures[]> };

const [name, ...flags] = process.argv.slice(2).filter((word) => word !== '--');
const known = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -3))
  .sort();

if (name === undefined || !known.includes(name)) {
  console.error(`Which one? npm run bench -- NAME [--json]\n  ${known.join('\n  ')}`);
  process.exitCode = name === undefined ? 0 : 2;
} else {
  const bench = (await import(`./${name}.ts`)) as Bench;
  const figures = await bench.run(flags);
  if (flags.includes('--json')) console.log(JSON.stringify(figures, null, 2));
  else console.table(figures);
}
