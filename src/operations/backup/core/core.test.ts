import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { retain } from '../prune.ts';
import { archivePath } from '../restore/extract.ts';
import { chain, coverage, replacedChunks, segmentRanges } from './coverage.ts';
import { formatLsn, parseLsn, parseSegmentName, segmentBytes, segmentName } from './lsn.ts';
import {
  isBackupId,
  newBackupId,
  parseBaseName,
  parseWalRange,
  versionOfBody,
  type WalRange,
  walRangeName,
} from './names.ts';
import { checkAgainst, parsePgManifest } from './pg-manifest.ts';

const range = (start: number, end: number, timeMs = 0): WalRange => {
  const facts = { timeline: 1, start: BigInt(start), end: BigInt(end), timeMs };
  return { name: walRangeName(facts), ...facts };
};

describe('WAL positions', () => {
  test('printed positions and segment names are parsed unchanged', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), fc.integer({ min: 1, max: 2 ** 31 }), (lsn, timeline) => {
        expect(parseLsn(formatLsn(lsn))).toBe(lsn);
        const start = lsn - (lsn % BigInt(segmentBytes));
        expect(parseSegmentName(segmentName(timeline, start))).toEqual({ timeline, start });
      }),
    );
  });

  test("names match PostgreSQL's", () => {
    expect(segmentName(1, parseLsn('0/3000000'))).toBe('000000010000000000000003');
    expect(segmentName(2, parseLsn('1/FF000000'))).toBe('0000000200000001000000FF');
    expect(parseSegmentName('00000002.history')).toBeUndefined();
  });
});

describe('file names', () => {
  test('a printed range is parsed unchanged', () => {
    const lsn = fc.bigInt(0n, 2n ** 64n - 2n);
    fc.assert(
      fc.property(lsn, fc.nat(2 ** 31), fc.nat(4_000_000_000_000), (start, timeline, timeMs) => {
        const facts = { timeline, start, end: start + 1n, timeMs };
        const name = walRangeName(facts);
        expect(parseWalRange(name)).toEqual({ name, ...facts });
      }),
    );
  });

  test('other names are ignored', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseWalRange(text)).toBeUndefined();
        expect(parseBaseName(text)).toBeUndefined();
        expect(versionOfBody(text)).toBeUndefined();
      }),
    );
    expect(parseBaseName('base/../../etc/passwd')).toBeUndefined();
    expect(versionOfBody('bodies/aa/bb2f0e6e-0000-4000-8000-000000000000')).toBeUndefined();
  });

  test('IDs begin with their creation time', () => {
    const id = newBackupId(Date.parse('2026-05-01T03:00:00.123Z'), 'abcdef');
    expect(id).toBe('20260501T030000Z-abcdef');
    expect(isBackupId(id)).toBe(true);
  });
});

describe('coverage', () => {
  test('overlapping ranges form one chain, and a gap ends it', () => {
    const ranges = [range(0, 10), range(5, 12), range(5, 20, 7), range(20, 30, 9), range(31, 40, 11)];
    expect(chain(ranges, 2n, 100n).map(({ end }) => Number(end))).toEqual([10, 20, 30]);
    expect(coverage(ranges, 2n)).toEqual({ end: 30n, timeMs: 9 });
    expect(coverage(ranges, 50n)).toEqual({ end: 50n, timeMs: undefined });
  });

  test('a chain never has a gap and extends as far as possible', () => {
    const ranges = fc.array(fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 10 })), { maxLength: 30 });
    fc.assert(
      fc.property(ranges, fc.nat(50), (pairs, from) => {
        const all = pairs.map(([start, size]) => range(start, start + size));
        const covered = new Set(
          pairs.flatMap(([start, size]) => Array.from({ length: size }, (_, at) => start + at)),
        );
        let expected = from;
        while (covered.has(expected)) expected++;
        expect(Number(coverage(all, BigInt(from)).end)).toBe(expected);
      }),
    );
  });

  test('a segment is read from its chunks or as a whole', () => {
    const chunks = [range(0, 100), range(100, 200)];
    const whole = range(0, segmentBytes);
    expect(segmentRanges(chunks, 0n)).toEqual(chunks);
    expect(segmentRanges([...chunks, whole], 0n)).toEqual([whole]);
    expect(segmentRanges([range(100, 200)], 0n)).toEqual([]);
    expect(replacedChunks([...chunks, whole])).toEqual(chunks);
    expect(replacedChunks(chunks)).toEqual([]);
  });
});

test('retention keeps the backups in the window and the one before it', () => {
  const backups = [10, 20, 30, 40].map((endedAtMs) => ({ id: String(endedAtMs), endedAtMs }));
  const keptAt = (start: number) => retain(backups, start).kept.map(({ endedAtMs }) => endedAtMs);
  expect(keptAt(25)).toEqual([40, 30, 20]);
  expect(keptAt(20)).toEqual([40, 30, 20]);
  expect(keptAt(50)).toEqual([40]);
  expect(keptAt(5)).toEqual([40, 30, 20, 10]);
  expect(retain([], 5)).toEqual({ kept: [], expired: [] });
});

describe('archive paths', () => {
  test.each(['../x', 'a/../../x', '/etc/passwd', 'a\\b', 'c:x', '', '.', 'a\0b'])(
    '%j is rejected',
    (name) => {
      expect(() => archivePath(name)).toThrow(/unsafe name/);
    },
  );

  test('any accepted path stays inside the folder', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        let parts: readonly string[] = [];
        try {
          parts = archivePath(name);
        } catch {
          return;
        }
        expect(parts.every((part) => !['', '.', '..'].includes(part) && !/[\\/\0:]/.test(part))).toBe(true);
      }),
    );
  });
});

test("files are compared with PostgreSQL's manifest", () => {
  const manifest = parsePgManifest(
    JSON.stringify({
      Files: [
        { Path: 'a', Size: 1, 'Checksum-Algorithm': 'SHA256', Checksum: 'AA' },
        { 'Encoded-Path': '62', Size: 2, 'Checksum-Algorithm': 'SHA256', Checksum: 'bb' },
      ],
    }),
  );
  const check = checkAgainst(manifest);
  check.file('a', { sizeBytes: 1, sha256: 'aa' });
  check.file('pg_wal/000000010000000000000001', { sizeBytes: 5, sha256: 'cc' });
  expect(() => check.end()).toThrow('The file b is missing');
  expect(() => check.file('b', { sizeBytes: 2, sha256: 'b0' })).toThrow(/differs/);
  expect(() => check.file('extra', { sizeBytes: 2, sha256: 'bb' })).toThrow(/differs/);
  check.file('b', { sizeBytes: 2, sha256: 'bb' });
  check.end();
});
