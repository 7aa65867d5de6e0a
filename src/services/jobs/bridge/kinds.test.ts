import { expect, test } from 'vitest';
import { routeByKind } from './kinds.ts';

const { signal } = new AbortController();
const route = routeByKind({
  http: (text) => Promise.resolve(`http ${text}`),
  graphql: (text) => Promise.resolve(`graphql ${text}`),
});

test.each([
  ['{"method":"GET"}', 'http {"method":"GET"}'],
  ['{\n"method":"GET"}', 'http {\n"method":"GET"}'],
  ['graphql\n{"a":\n1}', 'graphql {"a":\n1}'],
  ['graphql\n', 'graphql '],
])('%j', async (question, expected) => expect(await route(question, signal)).toBe(expected));

test.each(['other\n{}', 'constructor\n{}'])('%j has an unknown kind', async (question) => {
  await expect(route(question, signal)).rejects.toThrow('unknown kind of question');
});
