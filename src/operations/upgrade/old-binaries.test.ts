import { expect, test } from 'vitest';
import { newestOf } from './old-binaries.ts';

test('the newest version of a major version is selected by number', () => {
  const versions = ['17.9.0-beta.16', '17.10.0-beta.17', '17.10.0-beta.9', '18.0.0-beta.15', '1.7.0'];
  expect(newestOf(JSON.stringify(versions), 17)).toBe('17.10.0-beta.17');
  expect(newestOf(JSON.stringify(versions), 16)).toBeUndefined();
  expect(newestOf('"17.1.0"', 17)).toBe('17.1.0');
});
