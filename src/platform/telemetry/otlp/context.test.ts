import { expect, test } from 'vitest';
import { contextOf, sampler, traceparentOf } from './context.ts';

const always = () => true;
const never = () => false;

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentSpanId = 'b7ad6b7169203331';

test.each([
  ['01', true],
  ['00', false],
  ['03', true],
])('a header continues its trace with flags %s', (flags, isSampled) => {
  const context = contextOf(`00-${traceId}-${parentSpanId}-${flags}`, true, isSampled ? never : always);
  expect(context).toEqual({
    traceId,
    parentSpanId,
    isSampled,
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  expect(context.spanId).not.toBe(parentSpanId);
  expect(traceparentOf(context)).toBe(`00-${traceId}-${context.spanId}-${isSampled ? '01' : '00'}`);
});

test('a later version may have more fields', () => {
  expect(contextOf(`cc-${traceId}-${parentSpanId}-01-more`, true, never)).toMatchObject({
    traceId,
    isSampled: true,
  });
});

test.each([
  undefined,
  '',
  `00-${traceId}-${parentSpanId}`,
  `00-${traceId}-${parentSpanId}-01-more`,
  `ff-${traceId}-${parentSpanId}-01`,
  `00-${'0'.repeat(32)}-${parentSpanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${parentSpanId}-01`,
  `00-${traceId}-${parentSpanId}-01\n`,
])('%j starts a new trace', (header) => {
  const context = contextOf(header, true, always);
  expect(context.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(context).toMatchObject({ parentSpanId: undefined, isSampled: true });
  expect(context.traceId).not.toBe(traceId);
  expect(contextOf(header, true, never).isSampled).toBe(false);
});

test('an untrusted caller’s decision is replaced', () => {
  const header = (flags: string) => `00-${traceId}-${parentSpanId}-${flags}`;
  expect(contextOf(header('01'), false, never)).toMatchObject({ traceId, parentSpanId, isSampled: false });
  expect(contextOf(header('00'), false, always)).toMatchObject({ traceId, parentSpanId, isSampled: true });
});

test('a fraction of traces is sampled consistently, and clients can’t predict which', () => {
  const [first, second] = [sampler(() => 0.25), sampler(() => 0.25)];
  const ids = Array.from({ length: 4000 }, (_none, index) => index.toString(16).padStart(32, '0'));
  const sampled = ids.filter(first);
  // The tolerance is five standard deviations.
  expect(Math.abs(sampled.length - 1000)).toBeLessThan(137);
  expect(ids.filter(first)).toEqual(sampled);
  expect(ids.filter(second)).not.toEqual(sampled);
  expect(ids.filter(sampler(() => 0))).toEqual([]);
  expect(ids.filter(sampler(() => 1))).toEqual(ids);
});
