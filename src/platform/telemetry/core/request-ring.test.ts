import { expect, test } from 'vitest';
import { type RequestRecord, Trace } from '../../../base/kernel/trace.ts';
import { createRequestRing } from './request-ring.ts';

function record(number: number, change?: (trace: Trace) => void): RequestRecord {
  const trace = new Trace(`request-${number}`, 0);
  change?.(trace);
  return {
    at: number,
    requestId: `request-${number}`,
    service: number % 2 === 0 ? 'rest' : 'auth',
    method: 'GET',
    url: `/rest/v1/todos?id=eq.${number}`,
    status: 200 + number,
    durationMs: number / 3,
    ip: '127.0.0.1',
    userAgent: number % 3 === 0 ? undefined : `agent ${number}`,
    trace: change === undefined ? undefined : trace,
  };
}
const one = (trace: Trace) => {
  trace.role = 'anon';
  trace.statement('select 1', 1, 3);
};

test('entries are returned newest first', () => {
  const ring = createRequestRing(10);
  const records = [
    record(1),
    record(2, one),
    record(3, (trace) => {
      trace.userId = 'user-1';
      trace.schema = 'public';
      trace.statement('select 1', 1, 3);
      trace.statement('select 2', 3, 4);
    }),
    record(4, (trace) => {
      trace.operator = 'owner';
      trace.statement('select 1/0', 1, 2, '22012');
    }),
    record(5, () => {}),
  ];
  for (const each of records) ring.push(each);
  const read = [...ring.backward()].reverse();
  expect(read.map(({ trace, ...rest }) => rest)).toEqual(records.map(({ trace, ...rest }) => rest));
  const facts = (trace: Trace | undefined) =>
    trace && { ...trace, spans: trace.spans?.map(({ error, ...span }) => ({ ...span, error })) };
  expect(read.map(({ trace }) => facts(trace))).toEqual(records.map(({ trace }) => facts(trace)));
  expect(ring.oldestAt).toBeUndefined();
});

test('the oldest entry is evicted with its statements', () => {
  const ring = createRequestRing(3);
  for (let number = 1; number <= 8; number++) ring.push(record(number, number < 6 ? one : undefined));
  expect([...ring.backward()].map(({ at, trace }) => [at, trace?.spans?.length])).toEqual([
    [8, undefined],
    [7, undefined],
    [6, undefined],
  ]);
  expect(ring.oldestAt).toBe(6);
});
