import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Bindings } from './compile/params.ts';
import type { Statement } from './compile/statement.ts';
import { type Specialization, SpecializedStatements } from './specialized.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const bindings = (upper: number, ...values: string[]): Bindings => ({
  values,
  ranges: new Map([['limit', { lower: 0, upper }]]),
  body: undefined,
  callArguments: [],
});

/** Compiles statements whose text lists the values of their constants. */
const compile: Specialization['compile'] = ({ ranges, values }, isConstant) => {
  const constants = values.filter((_, slot) => isConstant({ kind: 'slot', slot, hasWildcards: false }));
  const limit = isConstant({ kind: 'limit', key: 'limit', maxRows: undefined }) && ranges.get('limit')?.upper;
  return { key: '', text: [limit, ...constants].join(' '), params: [] } satisfies Statement;
};

async function specialized(constantSlots: Specialization['constantSlots'], rangeKeys = ['limit']) {
  const statements = new SpecializedStatements({ compile, rangeKeys, constantSlots });
  expect(statements.choose(bindings(0))).toEqual({ statement: undefined, isFinal: false });
  await vi.advanceTimersByTimeAsync(0);
  const textOf = (...given: Parameters<typeof bindings>) =>
    statements.choose(bindings(...given)).statement?.text;
  return { statements, textOf };
}

test('a range is a constant from the second time on', async () => {
  const { statements, textOf } = await specialized(async () => new Set());
  expect([textOf(19), textOf(39), textOf(19), textOf(19), textOf(39)]).toEqual([
    undefined,
    undefined,
    '19',
    '19',
    '39',
  ]);
  expect(statements.choose(bindings(19)).statement).toBe(statements.choose(bindings(19)).statement);
  expect(statements.choose(bindings(5))).toEqual({ statement: undefined, isFinal: false });
  expect(statements.choose(bindings(5)).isFinal).toBe(true);
});

test('the values of constant slots select the statement, and other values don’t', async () => {
  const { textOf } = await specialized(async () => new Set([1]));
  for (const _ of [1, 2]) textOf(9, 'any', 'open');
  expect([textOf(9, 'other', 'open'), textOf(9, 'other', 'done'), textOf(9, 'any', 'done')]).toEqual([
    '9 open',
    undefined,
    '9 done',
  ]);
});

test('a shape has at most eight statements, and none for long values', async () => {
  const { statements, textOf } = await specialized(async () => new Set([0]));
  for (const _ of [1, 2]) expect(textOf(9, 'x'.repeat(300))).toBeUndefined();
  for (let limit = 1; limit <= 10; limit++) textOf(limit, '');
  const texts = Array.from({ length: 10 }, (_, index) => textOf(index + 1, ''));
  expect(texts.filter((text) => text !== undefined)).toHaveLength(8);
  expect(statements.choose(bindings(10, ''))).toEqual({ statement: undefined, isFinal: true });
});

test.each<[string, Specialization['constantSlots'], string[]]>([
  ['the values matter', async () => undefined, ['limit']],
  ['the statistics can’t be read', () => Promise.reject(new Error('permission denied')), ['limit']],
  ['nothing would be a constant', async () => new Set(), []],
])('if %s, all values remain parameters', async (_name, constantSlots, rangeKeys) => {
  const { statements } = await specialized(constantSlots, rangeKeys);
  for (const _ of [1, 2, 3])
    expect(statements.choose(bindings(9))).toEqual({ statement: undefined, isFinal: true });
});

test('the statistics are read again after a minute, and a different result is a new version', async () => {
  let slots: ReadonlySet<number> | undefined = new Set([0]);
  let readings = 0;
  const { statements, textOf } = await specialized(async () => {
    readings++;
    return slots;
  });
  for (const _ of [1, 2]) textOf(9, 'open');
  expect(textOf(9, 'open')).toBe('9 open');
  const { version } = statements;
  await vi.advanceTimersByTimeAsync(59_000);
  expect(statements.version).toBe(version);
  expect(readings).toBe(1);
  for (const next of [new Set([0]), undefined]) {
    slots = next;
    await vi.advanceTimersByTimeAsync(61_000);
    void statements.version;
    await vi.advanceTimersByTimeAsync(0);
    expect(statements.version).toBe(next === undefined ? version + 1 : version);
  }
  expect(readings).toBe(3);
  expect(statements.choose(bindings(9, 'open'))).toEqual({ statement: undefined, isFinal: true });
});
