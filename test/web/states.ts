/**
 * Page states are tests that repeat a page test in the dark color scheme, in a narrow window or in Arabic, and tests of
 * every state of a page. `npm test` skips page states, and `npm run test:states` runs only them
 * (docs/decisions/0098-test-states.md).
 */
import { describe, type TestOptions, test } from 'vitest';

/** The options of a test or suite of page states. */
export const pageStates = { tags: ['states'] } as const satisfies TestOptions;

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
  (name: string, body: Body<Case>, timeout?: number): void => {
    const declare = (some: readonly Case[]) => each(some as never) as Declare;
    const options = timeout === undefined ? {} : { timeout };
    declare(cases.filter((one) => !isState(one)))(name, options, body);
    declare(cases.filter(isState))(name, { ...options, ...pageStates }, body);
  };

/** Like `describe.each`. The cases in the dark color scheme, in a narrow window or in Arabic are page states. */
export const describeEach = split((cases) => describe.each(cases));

/** Like `test.each`. The cases in the dark color scheme, in a narrow window or in Arabic are page states. */
export const testEach = split((cases) => test.each(cases));
