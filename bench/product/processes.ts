import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Every process whose command line names this directory: the cloud, its functions, the agents. */
export function processesOf(directory: string): FoundProcess[] {
  const lines = execFileSync('ps', ['-wweo', 'pid=,rss=,args='], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => line.includes(directory))
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, memory, ...command]) => {
      return { pid: pid ?? '', memoryKb: Number(memory), command: command.join(' ') };
    });
}

export type FoundProcess = {
  readonly pid: string;
  readonly memoryKb: number;
  readonly command: string;
};

const ticksPerSecond = 100;

/** User and system time of these processes; one that has ended meanwhile is not counted. */
export function processorSeconds(pids: readonly string[]): number {
  return pids.reduce((sum, pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return sum + (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    } catch {
      return sum;
    }
  }, 0);
}
