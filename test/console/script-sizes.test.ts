/**
 * Limits the compressed size of the scripts that a browser loads for the Console's pages. A package that one page needs
 * must not be loaded with the other pages.
 */
import { expect, test } from 'vitest';
import { scriptSizes } from '../../bench/console/sizes.ts';

/** The limits in KiB. */
const limits = { tablePage: 220, part: 130 };

/** The parts that exceed the limit, each with a separate limit and the reason. */
const exceptions: Readonly<Record<string, { readonly limit: number; readonly reason: string }>> = {
  'graphql/ide.tsx': {
    limit: 205,
    reason:
      'GraphiQL with its editor and graphql-js, without which it can neither complete nor check a query. Loaded when the page is opened',
  },
};

test('the scripts of each page stay below their limits', () => {
  const { tablePage, parts } = scriptSizes();
  expect.soft(tablePage).toBeLessThan(limits.tablePage);
  expect.soft(parts.filter(({ name, size }) => size > (exceptions[name]?.limit ?? limits.part))).toEqual([]);
  const excessive = parts.filter(({ size }) => size > limits.part).map(({ name }) => name);
  expect.soft(excessive.sort()).toEqual(Object.keys(exceptions).sort());
});
