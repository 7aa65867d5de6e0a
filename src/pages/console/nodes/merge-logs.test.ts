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
          const { entries, next } = mergePages(pages, limit, cursor);
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
  expect(mergePages([page('a')], 10, undefined).entries[0]).not.toHaveProperty('node');
  expect(mergePages([page('a'), page('b')], 10, undefined).entries.map(({ node }) => node)).toEqual([
    'a',
    'b',
  ]);
});
