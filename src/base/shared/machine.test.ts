import { expect, test } from 'vitest';
import { groupLimits, machineOf } from './machine.ts';

const unifiedMount = '29 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate';
const limitsOf = (files: Readonly<Record<string, string>>) => groupLimits((path) => files[path]);

test('without files, no limits apply', () => {
  expect(limitsOf({})).toEqual({ memoryBytes: undefined, cpus: undefined });
});

test('version 2: a container with a namespace', () => {
  const files = {
    '/proc/self/cgroup': '0::/\n',
    '/proc/self/mountinfo': `21 20 0:5 / /proc rw - proc proc rw\n${unifiedMount}\n`,
    '/sys/fs/cgroup/memory.max': '536870912\n',
    '/sys/fs/cgroup/memory.high': 'max\n',
    '/sys/fs/cgroup/cpu.max': '150000 100000\n',
  };
  expect(limitsOf(files)).toEqual({ memoryBytes: 512 * 1024 ** 2, cpus: 1.5 });
  expect(limitsOf({ ...files, '/sys/fs/cgroup/memory.high': '268435456\n' }).memoryBytes).toBe(
    256 * 1024 ** 2,
  );
});

test('version 2: the limit of a parent applies, and "max" is not a limit', () => {
  const files = {
    '/proc/self/cgroup': '0::/system.slice/plinth.service\n',
    '/proc/self/mountinfo': unifiedMount,
    '/sys/fs/cgroup/system.slice/plinth.service/memory.max': 'max\n',
    '/sys/fs/cgroup/system.slice/plinth.service/cpu.max': 'max 100000\n',
    '/sys/fs/cgroup/system.slice/memory.max': '1073741824\n',
    '/sys/fs/cgroup/system.slice/cpu.max': '50000 100000\n',
  };
  expect(limitsOf(files)).toEqual({ memoryBytes: 1024 ** 3, cpus: 0.5 });
});

const versionOne = (root: string) =>
  [
    `32 31 0:29 ${root} /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct`,
    `35 31 0:32 ${root} /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory`,
  ].join('\n');

test('version 1: a container’s own group is the mounted root', () => {
  const group = '/docker/0123abcd';
  expect(
    limitsOf({
      '/proc/self/cgroup': `4:memory:${group}\n1:cpu,cpuacct:${group}\n`,
      '/proc/self/mountinfo': versionOne(group),
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '268435456\n',
      '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '200000\n',
      '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
    }),
  ).toEqual({ memoryBytes: 256 * 1024 ** 2, cpus: 2 });
});

test('version 1: without limits, and with a group outside of the mount', () => {
  const free = {
    '/proc/self/cgroup': '4:memory:/app\n1:cpu,cpuacct:/app\n',
    '/proc/self/mountinfo': versionOne('/'),
    '/sys/fs/cgroup/memory/app/memory.limit_in_bytes': '9223372036854771712\n',
    '/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us': '-1\n',
    '/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us': '100000\n',
  };
  expect(limitsOf(free)).toEqual({ memoryBytes: undefined, cpus: undefined });
  const outside = {
    ...free,
    '/proc/self/mountinfo': versionOne('/other'),
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': '104857600',
  };
  expect(limitsOf(outside).memoryBytes).toBe(100 * 1024 ** 2);
});

test('both versions: the smaller limit applies', () => {
  expect(
    limitsOf({
      '/proc/self/cgroup': '4:memory:/app\n0::/app\n',
      '/proc/self/mountinfo': `${versionOne('/')}\n38 31 0:35 / /sys/fs/cgroup/uni\\040fied rw - cgroup2 cgroup2 rw`,
      '/sys/fs/cgroup/memory/app/memory.limit_in_bytes': '104857600',
      '/sys/fs/cgroup/uni fied/app/memory.max': '52428800',
    }).memoryBytes,
  ).toBe(50 * 1024 ** 2);
});

test('a machine has at least one core and never more than its limits allow', () => {
  const whole = { cores: 8, memoryBytes: 16e9 };
  expect(machineOf(whole, { cpus: undefined, memoryBytes: undefined })).toEqual({
    ...whole,
    isLimited: false,
  });
  expect(machineOf(whole, { cpus: 1.5, memoryBytes: 1e9 })).toEqual({
    cores: 2,
    memoryBytes: 1e9,
    isLimited: true,
  });
  expect(machineOf(whole, { cpus: 0.1, memoryBytes: 64e9 })).toEqual({
    cores: 1,
    memoryBytes: 16e9,
    isLimited: true,
  });
});
