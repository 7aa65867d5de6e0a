import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cursor, LogEntry, LogPage } from '../../../platform/telemetry/types.ts';
import {
  cursorOf,
  cursorPattern,
  cursorText,
  mergePages,
  type NodesCursor,
  parseCursor,
} from './merge-logs.ts';

const entry = (at: number, message: string): LogEntry => ({
  at,
  message,
  level: 'info',
  kind: 'line',
  service: 'x',
});

/** Pages through a log as a node does. */
function pageOf(log: readonly LogEntry[], limit: number, cursor: Cursor | undefined): LogPage {
  let skip = cursor?.skip ?? 0;
  const rest = log.filter(({ at }) => {
    if (cursor === undefined || at < cursor.at) return true;
    return at === cursor.at && skip-- <= 0;
  });
  const entries = rest.slice(0, limit);
  return { entries, next: rest.length > limit ? { at: 0, skip: 0 } : undefined };
}

test('all entries of all nodes are read exactly once, newest first', () => {
  const log = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 25 });
  fc.assert(
    fc.property(
      fc.array(log, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 7 }),
      (times, limit) => {
        const logs = times.map((each, node) =>
          each.sort((left, right) => right - left).map((at, index) => entry(at, `${node} ${index}`)),
        );
        const read: LogEntry[] = [];
        let cursor: NodesCursor | undefined;
        for (let page = 0; page < 200; page++) {
          const pages = logs.map((each, node) => ({
            node: { id: `${node}`, name: `node ${node}` },
            value: pageOf(each, limit, cursorOf(cursor, `${node}`)),
          }));
          const { entries, next } = mergePages(pages, { limit, before: cursor });
          expect(entries.length).toBeLessThanOrEqual(limit);
          read.push(...entries);
          if (next === undefined) break;
          expect(cursorText(next)).toMatch(cursorPattern);
          cursor = parseCursor(cursorText(next));
          expect(cursor).toEqual(next);
        }
        expect(read.map(({ message }) => message).sort()).toEqual(
          logs
            .flat()
            .map(({ message }) => message)
            .sort(),
        );
        expect(read.map(({ at }) => at)).toEqual(
          read.map(({ at }) => at).sort((left, right) => right - left),
        );
      },
    ),
  );
});

test('an entry has the name of its node if there are several', () => {
  const page = (name: string) => ({
    node: { id: name, name },
    value: { entries: [entry(1, name)], next: undefined },
  });
  expect(mergePages([page('a')], { limit: 10, before: undefined }).entries[0]).not.toHaveProperty('node');
  expect(
    mergePages([page('a'), page('b')], { limit: 10, before: undefined }).entries.map(({ node }) => node),
  ).toEqual(['a', 'b']);
});

test('entries beyond the point where a node has stopped are part of the next page', () => {
  const page = (name: string, times: readonly number[], searchedTo?: number) => ({
    node: { id: name, name },
    value: {
      entries: times.map((at) => entry(at, name)),
      next: searchedTo === undefined ? undefined : { at: searchedTo, skip: 0 },
      ...(searchedTo === undefined ? {} : { searchedTo }),
    },
  });
  const pages = [page('a', [9, 5, 3]), page('b', [8], 5), page('c', [], 2)];
  const { entries, next, searchedTo } = mergePages(pages, { limit: 10, before: undefined });
  expect(entries.map(({ at }) => at)).toEqual([9, 8]);
  expect([searchedTo, next]).toEqual([5, { at: 5, skips: new Map() }]);
});

test('the slowest entries of all nodes are read exactly once', () => {
  const slow = (at: number, durationMs: number): LogEntry => ({
    ...entry(at, ''),
    kind: 'request',
    durationMs,
  });
  const logs = [
    [slow(5, 90), slow(9, 20), slow(4, 20), slow(1, 20)],
    [slow(4, 90), slow(9, 20), slow(2, 7.5)],
  ];
  const read: LogEntry[] = [];
  let cursor: NodesCursor | undefined;
  do {
    const pages = logs.map((log, node) => {
      const own = cursorOf(cursor, `${node}`);
      let skip = own?.skip ?? 0;
      const rest = log.filter(({ at, durationMs = 0 }) => {
        if (own?.ms === undefined || durationMs < own.ms || (durationMs === own.ms && at < own.at))
          return true;
        return durationMs === own.ms && at === own.at && skip-- <= 0;
      });
      const next = rest.length > 2 ? { at: 0, skip: 0 } : undefined;
      return { node: { id: `${node}`, name: `${node}` }, value: { entries: rest.slice(0, 2), next } };
    });
    const merged = mergePages(pages, { limit: 2, before: cursor, sort: 'duration' });
    read.push(...merged.entries);
    cursor = merged.next && parseCursor(cursorText(merged.next));
  } while (cursor !== undefined);
  expect(read.map(({ at, durationMs }) => [durationMs, at])).toEqual([
    [90, 5],
    [90, 4],
    [20, 9],
    [20, 9],
    [20, 4],
    [20, 1],
    [7.5, 2],
  ]);
});
