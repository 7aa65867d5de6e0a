import { expect, test } from 'vitest';
import { readSnapshotDocument } from './document.ts';

test.each([[null], [{}], [{ format: 2 }]])('%j is from another version', (document) => {
  expect(() => readSnapshotDocument(document)).toThrow('another version of Plinth');
});
