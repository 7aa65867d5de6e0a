import { describe, expect, test } from 'vitest';
import { LagClock } from './lag-clock.ts';
import { printLsn, readLsn } from './lsn.ts';
import { RecentWrites } from './recent-writes.ts';

describe('positions', () => {
  test.each(['0/0', '16/B374D848', 'FFFFFFFF/FFFFFFFF', '1/0'])('%s is read and printed', (text) => {
    expect(printLsn(readLsn(text) as bigint)).toBe(text);
  });
  test.each(['', '1', '/1', '1/', 'x/1', '123456789/1', "1/1'", ' 1/1'])('%j is rejected', (text) => {
    expect(readLsn(text)).toBeUndefined();
  });
  test('positions have the order of the log', () => {
    expect((readLsn('2/0') as bigint) > (readLsn('1/FFFFFFFF') as bigint)).toBe(true);
  });
});

describe('RecentWrites', () => {
  test('only the reads of a client require its write', () => {
    const writes = new RecentWrites();
    writes.record('a', 7n);
    writes.record('a', 5n);
    expect([writes.requiredBy('a'), writes.requiredBy('b'), writes.requiredBy(undefined)]).toEqual([
      7n,
      0n,
      0n,
    ]);
  });

  test('a position that was forgotten is required by all reads', () => {
    const writes = new RecentWrites();
    writes.record('a', 7n);
    writes.record('b', 9n);
    writes.forget(8n);
    expect([writes.requiredBy('a'), writes.requiredBy('b'), writes.requiredBy('c')]).toEqual([7n, 9n, 7n]);
  });

  test('after a write at an unknown position, the client’s reads use the primary until the position is read', () => {
    const writes = new RecentWrites();
    writes.recordUnknown('a');
    const known = writes.beforeSample();
    writes.recordUnknown('a');
    known(5n);
    expect([writes.requiredBy('a'), writes.requiredBy('b')]).toEqual([undefined, 0n]);
    writes.beforeSample()(6n);
    expect([writes.requiredBy('a'), writes.requiredBy('b')]).toEqual([6n, 0n]);
  });

  test('if the client isn’t known, or too many clients have such writes, all reads use the primary', () => {
    const writes = new RecentWrites();
    writes.recordUnknown(undefined);
    expect(writes.requiredBy('a')).toBeUndefined();
    writes.beforeSample()(5n);
    expect(writes.requiredBy('a')).toBe(5n);
    for (let count = 0; count <= 10_000; count++) writes.recordUnknown(`client ${count}`);
    expect(writes.requiredBy('a')).toBeUndefined();
    writes.beforeSample()(6n);
    expect([writes.requiredBy('a'), writes.requiredBy('client 1')]).toEqual([6n, 6n]);
  });

  test('the number of clients is limited without losing a write', () => {
    const writes = new RecentWrites();
    for (let count = 1; count <= 10_001; count++) writes.record(`client ${count}`, BigInt(count));
    expect([writes.requiredBy('client 1'), writes.requiredBy('other')]).toEqual([10_001n, 10_001n]);
  });
});

describe('LagClock', () => {
  test('the lag is the time since the primary was first seen ahead of the replica', () => {
    const clock = new LagClock();
    clock.record(10n, 0);
    clock.record(20n, 1000);
    clock.record(30n, 2000);
    expect([30n, 25n, 20n, 10n, 5n].map((replayed) => clock.lagMs(replayed, 5000))).toEqual([
      ...[0, 3000, 3000, 4000, 5000],
    ]);
  });

  test('an idle primary causes no lag', () => {
    const clock = new LagClock();
    clock.record(10n, 0);
    clock.record(10n, 60_000);
    expect(clock.lagMs(10n, 61_000)).toBe(0);
    clock.record(11n, 62_000);
    expect(clock.lagMs(10n, 62_500)).toBe(500);
  });

  test('positions of the previous primary are forgotten after a failover', () => {
    const clock = new LagClock();
    clock.record(100n, 0);
    clock.record(90n, 1000);
    expect([clock.latest, clock.lagMs(90n, 2000)]).toEqual([90n, 0]);
  });
});
