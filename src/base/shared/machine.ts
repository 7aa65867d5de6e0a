/** The resources that this process can use. A container may have fewer resources than its machine. */
import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

export interface Machine {
  /** The number of CPU cores, at least 1. A fraction of a core is rounded up. */
  readonly cores: number;
  readonly memoryBytes: number;
}

interface LimitedMachine extends Machine {
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

interface GroupLimits {
  /** Undefined if the memory isn't limited. */
  readonly memoryBytes: number | undefined;
  /** The CPU time per unit of real time, for example 1.5. Undefined if the CPU time isn't limited. */
  readonly cpus: number | undefined;
}

/** A function that returns a file's content, or undefined if the file can't be read. */
type ReadText = (path: string) => string | undefined;

/** A mounted hierarchy of groups. */
interface Hierarchy {
  readonly mountPoint: string;
  /** The mounted group. In a container without a separate cgroup namespace, the mounted group isn't the root group. */
  readonly root: string;
}

/** Version 1 writes "no limit" as a number near 2^63, rounded to pages. */
const unlimitedBytes = 2 ** 62;

/**
 * Reads the limits of Linux control groups, which containers and systemd units use. Node's own functions read only the
 * innermost group, but the limits of all parent groups apply as well.
 *
 * Returns the smallest limits of the process's groups and their parents, in both versions of control groups.
 */
export function groupLimits(read: ReadText): GroupLimits {
  const groups = groupsOf(read('/proc/self/cgroup') ?? '');
  const mounts = read('/proc/self/mountinfo') ?? '';
  const foldersOf = (controller: string): string[] =>
    foldersUp(hierarchyOf(mounts, controller), groups.get(controller));
  const unified = foldersOf('');
  return {
    memoryBytes: smallest([
      ...unified.flatMap((dir) => [read(`${dir}/memory.max`), read(`${dir}/memory.high`)].map(bytesOf)),
      ...foldersOf('memory').map((dir) => bytesOf(read(`${dir}/memory.limit_in_bytes`))),
    ]),
    cpus: smallest([
      ...unified.map((dir) => {
        const [quota, period] = (read(`${dir}/cpu.max`) ?? '').trim().split(' ');
        return cpusOf(quota, period);
      }),
      ...foldersOf('cpu').map((dir) =>
        cpusOf(read(`${dir}/cpu.cfs_quota_us`), read(`${dir}/cpu.cfs_period_us`)),
      ),
    ]),
  };
}

/**
 * Returns the process's group for each controller. The key for version 2, which has a single hierarchy, is the empty
 * string.
 */
function groupsOf(text: string): ReadonlyMap<string, string> {
  const groups = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^\d+:([^:]*):(.*)$/.exec(line);
    if (match !== null)
      for (const controller of (match[1] ?? '').split(',')) groups.set(controller, match[2] ?? '/');
  }
  return groups;
}

/** Finds the mount point of a controller's hierarchy. The format is described in proc_pid_mountinfo(5). */
function hierarchyOf(mountinfo: string, controller: string): Hierarchy | undefined {
  for (const line of mountinfo.split('\n')) {
    const [mount = '', file = ''] = line.split(' - ');
    const [type, , options = ''] = file.split(' ');
    const isMatch =
      controller === '' ? type === 'cgroup2' : type === 'cgroup' && options.split(',').includes(controller);
    const [, , , root, mountPoint] = mount.split(' ');
    if (isMatch && root !== undefined && mountPoint !== undefined)
      return { root: decodeOctal(root), mountPoint: decodeOctal(mountPoint) };
  }
  return undefined;
}

/** Spaces in paths are written as octal escapes. */
const decodeOctal = (path: string): string =>
  path.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));

/** Returns the folders of a group and of those parents that are mounted. */
function foldersUp(hierarchy: Hierarchy | undefined, group: string | undefined): string[] {
  if (hierarchy === undefined || group === undefined) return [];
  const { root, mountPoint } = hierarchy;
  const base = root === '/' ? '' : root;
  // If the group is outside the mounted part, its path is relative to a different namespace, so the mount's limits are
  // used.
  const isInside = group === base || group.startsWith(`${base}/`);
  const names = isInside
    ? group
        .slice(base.length)
        .split('/')
        .filter((name) => name !== '')
    : [];
  return Array.from({ length: names.length + 1 }, (_, depth) =>
    [mountPoint, ...names.slice(0, names.length - depth)].join('/'),
  );
}

function bytesOf(text: string | undefined): number | undefined {
  const bytes = numberOf(text);
  return bytes === undefined || bytes >= unlimitedBytes ? undefined : bytes;
}

/** Returns the CPU limit, or undefined if the CPU time isn't limited (the quota is `max` or -1). */
function cpusOf(quota: string | undefined, period: string | undefined): number | undefined {
  const [used, every] = [numberOf(quota), numberOf(period)];
  return used === undefined || every === undefined ? undefined : used / every;
}

function numberOf(text: string | undefined): number | undefined {
  const value = Number(text?.trim() || Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function smallest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
