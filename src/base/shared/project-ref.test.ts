import fc from 'fast-check';
import { expect, test } from 'vitest';
import { projectRefOf } from './project-ref.ts';

test('a ref has the format that the upstream CLI accepts', () => {
  fc.assert(
    fc.property(fc.string(), (id) => {
      expect(projectRefOf(id)).toMatch(/^[a-z]{20}$/);
    }),
  );
});

test('a ref depends only on the project ID', () => {
  expect(projectRefOf('shop')).toBe(projectRefOf('shop'));
  expect(projectRefOf('shop')).not.toBe(projectRefOf('shop-staging'));
});
