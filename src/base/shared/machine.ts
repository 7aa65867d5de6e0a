/** The resources that this process can use. A container may have fewer resources than its machine. */
import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { type GroupLimits, groupLimits } from './cgroup.ts';

export interface Machine {
  /** The number of CPU cores, at least 1. A fraction of a core is rounded up. */
  readonly cores: number;
  readonly memoryBytes: number;
}

export interface LimitedMachine extends Machine {
  /** Whether a control group limits the memory or the CPU time of this process. */
  readonly isLimited: boolean;
}

let known: LimitedMachine | undefined;

/** Returns the machine's resources, limited by this process's control groups. The limits are read only once. */
export function thisMachine(): LimitedMachine {
  known ??= machineOf(
    { cores: availableParallelism(), memoryBytes: totalmem() },
    process.platform === 'linux' ? groupLimits(readText) : { cpus: undefined, memoryBytes: undefined },
  );
  return known;
}

export function machineOf({ cores, memoryBytes }: Machine, limits: GroupLimits): LimitedMachine {
  const limited = {
    cores: Math.max(1, Math.min(cores, Math.ceil(limits.cpus ?? cores))),
    memoryBytes: Math.min(memoryBytes, limits.memoryBytes ?? memoryBytes),
  };
  return { ...limited, isLimited: limited.cores < cores || limited.memoryBytes < memoryBytes };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
