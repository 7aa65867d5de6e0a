import { expect, test } from 'vitest';
import {
  type AlertRules,
  decide,
  type OpenAlert,
  type Receiver,
  retryDelayMs,
  type StoredMessage,
} from './decide.ts';
import type { DescribedProblem } from './described.ts';

const minute = 60_000;
const start = Date.parse('2026-01-01T12:00:00Z');
const receiver: Receiver = {
  ...{ name: 'ops', kind: 'email', to: ['a@app.test', 'b@app.test'], url: undefined, secret: undefined },
  ...{ problems: ['*'], severity: 'error', quiet_hours: '', time_zone: 'UTC' },
};
const rules = (changes: Partial<Receiver> = {}, others: Partial<AlertRules> = {}): AlertRules => ({
  ...{ afterMs: 2 * minute, repeatMs: 60 * minute, receivers: [{ ...receiver, ...changes }] },
  ...others,
});
const problem: DescribedProblem = {
  ...{ key: 'disk', kind: 'disk', severity: 'error', title: 'The disk is full', page: '/' },
};
const message = (changes: Partial<StoredMessage> = {}): StoredMessage => ({
  ...{ id: 'm', receiver: 'ops', address: 'a@app.test', event: 'raised', createdAtMs: start },
  ...{ isSent: true, isWaiting: false },
  ...changes,
});
const open = (changes: Partial<OpenAlert> = {}): OpenAlert => ({
  ...{ id: '1', key: 'disk', kind: 'disk', severity: 'error', sinceMs: start, seenAtMs: start },
  ...{ isRaised: false, isResolved: false, messages: [] },
  ...changes,
});
const found = (...problems: DescribedProblem[]) => ({ problems, unchecked: new Set<never>() });
const events = (messages: readonly { readonly address: string; readonly event: string }[]) =>
  messages.map(({ address, event }) => `${event} ${address}`);

test('a new problem is stored, and reported once it has lasted long enough', () => {
  const first = decide(found(problem), [], rules(), start);
  expect(first.found).toEqual([{ problem, messages: [] }]);
  const early = decide(found(problem), [open()], rules(), start + minute);
  expect(early.seen).toEqual([{ id: '1', problem, isRaised: false, isReopened: false, messages: [] }]);
  const due = decide(found(problem), [open()], rules(), start + 2 * minute);
  expect(due.seen[0]?.isRaised).toBe(true);
  expect(events(due.seen[0]?.messages ?? [])).toEqual(['raised a@app.test', 'raised b@app.test']);
});

test('without a delay, a new problem is reported immediately', () => {
  const { found: stored } = decide(found(problem), [], rules({}, { afterMs: 0 }), start);
  expect(events(stored[0]?.messages ?? [])).toEqual(['raised a@app.test', 'raised b@app.test']);
});

test('a problem that ended before it was reported is forgotten', () => {
  const decision = decide(found(), [open()], rules(), start + minute);
  expect([decision.forgotten, decision.resolved]).toEqual([['1'], []]);
});

test('the end of a problem is reported once it has been gone long enough, to those who know of it', () => {
  const alert = open({
    isRaised: true,
    messages: [message(), message({ id: 'w', address: 'b@app.test', isSent: false, isWaiting: true })],
  });
  expect(decide(found(), [alert], rules(), start + minute).resolved).toEqual([]);
  const [resolved] = decide(found(), [alert], rules(), start + 2 * minute).resolved;
  expect(events(resolved?.messages ?? [])).toEqual(['resolved a@app.test']);
  expect(resolved?.dropped).toEqual(['w']);
});

test('a problem that can’t be looked for has not ended', () => {
  const alert = open({ isRaised: true, messages: [message()] });
  const decision = decide(
    { problems: [], unchecked: new Set(['disk'] as const) },
    [alert],
    rules(),
    start + 60 * minute,
  );
  expect([decision.resolved, decision.forgotten]).toEqual([[], []]);
});

test.each([
  ['before the interval has passed', { createdAtMs: start + minute }, []],
  ['while a message waits', { isSent: false, isWaiting: true }, []],
  ['after the interval', {}, ['reminder a@app.test']],
])('a reminder is sent %s: %j', (_when, changes, expected) => {
  const alert = open({ isRaised: true, messages: [message(changes)] });
  const { seen } = decide(found(problem), [alert], rules({ to: ['a@app.test'] }), start + 60 * minute);
  expect(events(seen[0]?.messages ?? [])).toEqual(expected);
});

test('a problem that returns soon is reported again only if it lasts, and its short returns not at all', () => {
  const ended = message({ id: 'e', event: 'resolved', createdAtMs: start + minute });
  const one = rules({ to: ['a@app.test'] });
  const alert = open({ isRaised: true, isResolved: true, messages: [message(), ended] });
  const [returned] = decide(found(problem), [alert], one, start + 10 * minute).seen;
  expect([returned?.isReopened, returned?.messages]).toEqual([true, []]);
  const again = { ...alert, isResolved: false, sinceMs: start + 10 * minute };
  expect(
    decide(found(), [{ ...again, seenAtMs: start }], one, start + 20 * minute).resolved[0]?.messages,
  ).toEqual([]);
  const lasting = decide(found(problem), [again], one, start + 40 * minute);
  expect(events(lasting.seen[0]?.messages ?? [])).toEqual(['raised a@app.test']);
  // An alert that has ended and whose problem isn't found stays as it is.
  const rest = decide(found(), [alert], one, start + 40 * minute);
  expect([rest.seen, rest.resolved, rest.forgotten]).toEqual([[], [], []]);
});

test('alerts are not repeated if the interval is zero', () => {
  const alert = open({ isRaised: true, messages: [message()] });
  const { seen } = decide(
    found(problem),
    [alert],
    rules({ to: ['a@app.test'] }, { repeatMs: 0 }),
    start + 1e9,
  );
  expect(seen[0]?.messages).toEqual([]);
});

test('a receiver that is added later is told of problems that still last', () => {
  const alert = open({ isRaised: true, messages: [message({ receiver: 'other' })] });
  const { seen } = decide(found(problem), [alert], rules({ to: ['a@app.test'] }), start + 3 * minute);
  expect(events(seen[0]?.messages ?? [])).toEqual(['raised a@app.test']);
});

test.each([
  [{ problems: ['jobs'] }, 'error', 0],
  [{ problems: ['jobs', 'disk'] }, 'error', 1],
  [{}, 'warning', 0],
  [{ severity: 'warning' }, 'warning', 1],
] as const)('a receiver with %j gets %s problems: %i', (changes, severity, count) => {
  const one = rules({ to: ['a@app.test'], ...changes }, { afterMs: 0 });
  const { found: stored } = decide(found({ ...problem, severity }), [], one, start);
  expect(stored[0]?.messages).toHaveLength(count);
});

test('in quiet hours, messages wait', () => {
  const quiet = rules({ to: ['a@app.test'], quiet_hours: '11:00-13:00' }, { afterMs: 0 });
  const { found: stored } = decide(found(problem), [], quiet, start);
  expect(stored[0]?.messages[0]?.notBeforeMs).toBe(Date.parse('2026-01-01T13:00:00Z'));
});

test('a message is given up after six retries', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7].map(retryDelayMs);
  expect(delays).toEqual([1, 5, 15, 60, 240, 720, undefined].map((minutes) => minutes && minutes * minute));
});
