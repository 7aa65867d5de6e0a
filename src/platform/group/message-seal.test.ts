import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newSalt } from './cipher.ts';
import { createMessageSeal, type Envelope, OnceOnly } from './message-seal.ts';

const secret = 'a secret with at least 32 characters';
const salt = newSalt();
const envelope: Envelope = { id: randomUUID(), sender: randomUUID(), recipient: randomUUID() };

test('only nodes with the same secret and salt can read a message', () => {
  const seal = createMessageSeal(secret, salt);
  const sealed = seal.close(envelope, '{"question":"logs"}');
  expect(sealed.includes('logs')).toBe(false);
  expect(createMessageSeal(secret, salt).open(envelope, sealed)).toBe('{"question":"logs"}');
  expect(createMessageSeal(`${secret}!`, salt).open(envelope, sealed)).toBeUndefined();
  expect(createMessageSeal(secret, newSalt()).open(envelope, sealed)).toBeUndefined();
});

test('a message is valid only in its envelope', () => {
  const seal = createMessageSeal(secret, salt);
  const sealed = seal.close(envelope, 'text');
  for (const part of ['id', 'sender', 'recipient'] as const)
    expect(seal.open({ ...envelope, [part]: randomUUID() }, sealed)).toBeUndefined();
  expect(seal.open(envelope, sealed.subarray(0, 20))).toBeUndefined();
  sealed[14] = (sealed[14] ?? 0) ^ 1;
  expect(seal.open(envelope, sealed)).toBeUndefined();
});

test('each number of a sender is accepted once, in any order', () => {
  const once = new OnceOnly();
  expect([2, 1, 2, 1, 3].map((number) => once.accept('a', number))).toEqual([true, true, false, false, true]);
  expect(once.accept('b', 2)).toBe(true);
  for (let number = 4; number <= 5000; number++) expect(once.accept('a', number)).toBe(true);
  expect([1, 3, 4000, 4500, 5000, 5001].map((number) => once.accept('a', number))).toEqual([
    false,
    false,
    false,
    false,
    false,
    true,
  ]);
});
