/**
 * Page states are tests that repeat a page test in the dark color scheme, in a narrow window or in Arabic, and tests of
 * every state of a page. `npm test` skips page states, and `npm run test:states` runs them
 * (docs/decisions/0098-test-states.md).
 */
import type { Page } from 'playwright-core';
import { describe, type TestOptions, TestRunner, test } from 'vitest';
import { type AxeViolation, axeViolations } from './browser.ts';

/** The options of a test or suite of page states. */
export const pageStates = { tags: ['states'] } as const satisfies TestOptions;

/**
 * The options of a test that also checks the states that it passes through. Both commands run the test, but `npm test`
 * skips these checks.
 */
export const withStates = { tags: ['with-states'] } as const satisfies TestOptions;

/** Whether the current test skips the checks of states, because `npm run test:states` runs the test again. */
export const skipsStates = (): boolean =>
  process.env.PAGE_STATES === 'skip' &&
  TestRunner.getCurrentTest()?.tags?.includes(withStates.tags[0]) === true;

/** Like {@link axeViolations}, for a state that a test with the options {@link withStates} passes through. */
export const stateViolations = async (page: Page): Promise<AxeViolation[]> =>
  skipsStates() ? [] : axeViolations(page);

/** The values that make a case of a table a page state. */
const values: readonly unknown[] = ['ar', 'dark', 360];

const isState = (one: unknown): boolean =>
  (typeof one === 'object' && one !== null ? Object.values(one) : [one]).some((value) =>
    values.includes(value),
  );

type Body<Case> = (...values: Case extends readonly unknown[] ? [...Case] : [Case]) => unknown;
type Declare = (name: string, options: TestOptions, body: unknown) => void;

const split =
  (each: (cases: never) => unknown) =>
  <const Case>(cases: readonly Case[]) =>
  (name: string, body: Body<Case>, options: TestOptions = {}): void => {
    const declare = (some: readonly Case[]) => each(some as never) as Declare;
    declare(cases.filter((one) => !isState(one)))(name, options, body);
    declare(cases.filter(isState))(name, { ...options, ...pageStates }, body);
  };

/** Like `describe.each`. The cases in the dark color scheme, in a narrow window or in Arabic are page states. */
export const describeEach = split((cases) => describe.each(cases));

/** Like `test.each`. The cases in the dark color scheme, in a narrow window or in Arabic are page states. */
export const testEach = split((cases) => test.each(cases));
