import { expect, test } from 'vitest';
import type { AlertRules, Receiver } from './core/decide.ts';
import { createOutage } from './outage.ts';

const minute = 60_000;
const receiver: Receiver = {
  ...{ name: 'ops', kind: 'email', to: ['a@app.test', 'b@app.test'], url: undefined, secret: undefined },
  ...{ problems: ['*'], severity: 'error', quiet_hours: '', time_zone: 'UTC' },
};
const rulesOf = (...receivers: readonly Receiver[]): AlertRules => ({
  ...{ afterMs: 2 * minute, repeatMs: 0, receivers },
});

function outageAt(start: string) {
  const sent: string[] = [];
  const state = { nowMs: Date.parse(start), error: null as string | null };
  const outage = createOutage({
    now: () => state.nowMs,
    async send(_receiver, address, event, { title, since }) {
      sent.push(`${event} ${address}: ${title} (${since})`);
      return state.error;
    },
  });
  return { outage, sent, state };
}

test('a failure is reported once it has lasted, and its end is reported to those who know of it', async () => {
  const { outage, sent, state } = outageAt('2026-01-01T12:00:00Z');
  const rules = rulesOf(receiver);
  await outage.failed(new Error('refused'), rules);
  state.nowMs += minute;
  await outage.failed(new Error('refused'), rules);
  expect(sent).toEqual([]);
  state.nowMs += minute;
  await outage.failed(new Error('another error'), rules);
  await outage.failed(new Error('another error'), rules);
  const text = 'Problems can’t be checked: refused (2026-01-01T12:00:00.000Z)';
  expect(sent.splice(0)).toEqual([`raised a@app.test: ${text}`, `raised b@app.test: ${text}`]);
  await outage.recovered(rules);
  await outage.recovered(rules);
  expect(sent.splice(0)).toEqual([`resolved a@app.test: ${text}`, `resolved b@app.test: ${text}`]);
});

test('a receiver that could not be told is told later, and otherwise not told of the end', async () => {
  const { outage, sent, state } = outageAt('2026-01-01T12:00:00Z');
  const rules = { ...rulesOf({ ...receiver, to: ['a@app.test'] }), afterMs: 0 };
  state.error = 'no connection';
  await outage.failed(new Error('refused'), rules);
  await outage.failed(new Error('refused'), rules);
  expect(sent.splice(0)).toHaveLength(2);
  await outage.recovered(rules);
  expect(sent).toEqual([]);
});

test('a short failure, quiet hours and other kinds of problems are respected', async () => {
  const { outage, sent, state } = outageAt('2026-01-01T12:00:00Z');
  await outage.failed(new Error('refused'), rulesOf(receiver));
  await outage.recovered(rulesOf(receiver));
  const quiet = { ...receiver, quiet_hours: '11:00-13:00' };
  const jobs = { ...receiver, problems: ['jobs'] };
  const rules = { ...rulesOf(quiet, jobs), afterMs: 0 };
  await outage.failed(new Error('refused'), rules);
  expect(sent).toEqual([]);
  state.nowMs = Date.parse('2026-01-01T13:00:00Z');
  await outage.failed(new Error('refused'), rules);
  expect(sent).toHaveLength(2);
});
