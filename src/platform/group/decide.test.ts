import { describe, expect, test } from 'vitest';
import { decide, type Recorded } from './decide.ts';

const version = (number: number, digest: string | null): Recorded => ({ version: number, digest });

describe('the version of a file that is used', () => {
  test.each<
    [string, ReturnType<typeof decide>, string | undefined, Recorded | undefined, Recorded | undefined]
  >([
    ['nothing exists', 'none', undefined, undefined, undefined],
    ['the first node has the file', 'push', 'a', undefined, undefined],
    ['the database was replaced by an empty one', 'push', 'a', version(3, 'a'), undefined],
    ['both are the same', 'none', 'a', version(1, 'a'), version(1, 'a')],
    [
      'both are the same, but the node was killed before it recorded the version',
      'none',
      'b',
      version(1, 'a'),
      version(2, 'b'),
    ],
    ['a new node has no file', 'pull', undefined, undefined, version(4, 'a')],
    ['the file was deleted on this node', 'pull', undefined, version(4, 'a'), version(4, 'a')],
    ['another node changed the file', 'pull', 'a', version(1, 'a'), version(2, 'b')],
    ['another node removed the file', 'pull', 'a', version(1, 'a'), version(2, null)],
    ['the file is removed everywhere', 'none', undefined, version(2, null), version(2, null)],
    ['a command changed the file', 'push', 'b', version(1, 'a'), version(1, 'a')],
    ['a command created a removed file again', 'push', 'b', version(2, null), version(2, null)],
    ['a command and another node changed the file', 'conflict', 'c', version(1, 'a'), version(2, 'b')],
    [
      'a command changed the file and another node removed it',
      'conflict',
      'c',
      version(1, 'a'),
      version(2, null),
    ],
    ['a node with own files joins', 'conflict', 'b', undefined, version(1, 'a')],
    ['the database was restored from a backup', 'pull', 'c', version(3, 'c'), version(2, 'b')],
  ])('%s: %s', (_title, expected, local, recorded, stored) => {
    expect(decide(local, recorded, stored)).toBe(expected);
  });
});
