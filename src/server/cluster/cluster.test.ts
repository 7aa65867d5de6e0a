import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RequestRecord } from '../../base/kernel/trace.ts';
import { restartDelayMs } from './back-off.ts';
import { Entries } from './entries.ts';
import { packFields, unpackFields } from './lines.ts';
import { Tally } from './tally.ts';

test('the restart delay increases up to a limit', () => {
  expect([0, 1, 2, 3].map(restartDelayMs)).toEqual([0, 200, 400, 800]);
  expect(restartDelayMs(50)).toBe(10_000);
});

describe('log line fields', () => {
  test('arrive unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        expect(unpackFields(packFields(fields))).toEqual(JSON.parse(JSON.stringify(fields)));
      }),
    );
  });

  test('keep errors with their properties and causes', () => {
    const cause = Object.assign(new TypeError('inner'), { code: '28P01' });
    const { error } = unpackFields(packFields({ error: new Error('outer', { cause }) }));
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ message: 'outer', cause: { name: 'TypeError', code: '28P01' } });
  });

  test('are replaced if they can’t be printed', () => {
    const fields: Record<string, unknown> = { size: 10n };
    expect(unpackFields(packFields(fields))).toEqual({ size: '10' });
    fields.self = fields;
    expect(unpackFields(packFields(fields))).toHaveProperty('unprintable');
  });
});

test('counters of exited workers are kept, but gauges aren’t', () => {
  const tally = new Tally();
  const metrics = {
    plinth_log_dropped_lines_total: 3,
    plinth_pool_connections_open: [[['rest_shared'], 4]] as const,
    plinth_requests_in_flight: [[['api'], 2]] as const,
  };
  tally.keep(metrics);
  tally.keep(metrics);
  expect(tally.sum([])).toEqual({ plinth_log_dropped_lines_total: [[[], 6]] });
  expect(tally.sum([metrics])).toMatchObject({
    plinth_log_dropped_lines_total: [[[], 9]],
    plinth_requests_in_flight: [[['api'], 2]],
  });
});

test('entries are sent in batches, one batch at a time, and dropped if too many are waiting', async () => {
  const batches: number[] = [];
  const sent = Promise.withResolvers<void>();
  const entries = new Entries((lines, records) => {
    batches.push(lines.length + records.length);
    return batches.length === 1 ? sent.promise : Promise.resolve();
  });
  entries.addLine({ level: 'info', fields: '{}', message: 'first' });
  const flushed = entries.flush();
  await Promise.resolve();
  for (let count = 0; count < 20_010; count++) entries.addRecord({} as RequestRecord);
  expect([batches, entries.dropped]).toEqual([[1], 10]);
  sent.resolve();
  await flushed;
  await entries.flush();
  expect(batches).toEqual([1, 20_000]);
});
