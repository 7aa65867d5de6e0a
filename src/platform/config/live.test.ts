import { expect, test } from 'vitest';
import { Trace, traces } from '../../base/kernel/trace.ts';
import { createLiveConfig } from './live.ts';
import { configFrom } from './load.ts';

const withMaxRows = (max_rows: number) => configFrom({ api: { max_rows } });

test('values are read for each use and derived once per configuration', async () => {
  const live = createLiveConfig(withMaxRows(1));
  let computed = 0;
  const doubled = live.derive(({ api }) => {
    computed++;
    return api.max_rows * 2;
  });
  expect([doubled(), doubled(), computed]).toEqual([2, 2, 1]);
  expect(await live.replace(withMaxRows(2))).toEqual([]);
  expect([live.current.api.max_rows, doubled(), computed]).toEqual([2, 4, 2]);
});

test('a request uses one configuration until its response has been sent', async () => {
  const live = createLiveConfig(withMaxRows(1));
  const rows = live.derive(({ api }) => api.max_rows);
  const trace = new Trace('one', 0);
  await traces.run(trace, async () => {
    expect(rows()).toBe(1);
    await live.replace(withMaxRows(2));
    expect([live.current.api.max_rows, rows()]).toEqual([1, 1]);
    trace.isOver = true;
    expect([live.current.api.max_rows, rows()]).toEqual([2, 2]);
  });
  traces.run(new Trace('two', 0), () => expect(rows()).toBe(2));
});

test('a configuration from which a value cannot be derived is rejected as a whole', async () => {
  const live = createLiveConfig(withMaxRows(1));
  const first = live.derive(({ api }) => api.max_rows);
  live.derive(({ api }) => {
    if (api.max_rows === 2) throw new Error('not two');
  });
  let calls = 0;
  live.onChange(() => void calls++);
  await expect(live.replace(withMaxRows(2))).rejects.toThrow('not two');
  expect([first(), live.current.api.max_rows, calls]).toEqual([1, 1, 0]);
});

test('replacing the configuration waits for listeners and returns their errors', async () => {
  const live = createLiveConfig(withMaxRows(1));
  const seen: number[][] = [];
  live.onChange(async (config, previous) => {
    await Promise.resolve();
    seen.push([previous.api.max_rows, config.api.max_rows]);
  });
  live.onChange(() => {
    throw new Error('half');
  });
  const errors = await live.replace(withMaxRows(2));
  expect(seen).toEqual([[1, 2]]);
  expect(errors).toEqual([new Error('half')]);
});
