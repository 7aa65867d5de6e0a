import { expect, test } from 'vitest';
import { forget, readAddress, readMemory, remember, writeAddress, writeMemory } from './browser-memory.ts';
import { nextStepFor, parseIdentifier } from './next-step.ts';

const email = { email: 'Ada@works.example' };
const noSso = { isOffered: false, isEnforced: false };
const sso = { isOffered: true, isEnforced: false };
const password = { password: true };
const nothing = readMemory(undefined);

test('the next step depends on the domain, the settings and what the browser remembers', () => {
  const step = (facts: Partial<Parameters<typeof nextStepFor>[1]>) =>
    nextStepFor(email, { offers: password, sso: noSso, memory: nothing, isNew: false, ...facts });
  expect(step({})).toEqual({ step: 'password' });
  expect(step({ sso })).toEqual({ step: 'sso', isEnforced: false });
  const byCode = remember(nothing, { name: 'ada@works.example', way: 'code' });
  expect(step({ memory: byCode })).toEqual({ step: 'code' });
  expect(step({ sso, memory: byCode })).toEqual({ step: 'code' });
  expect(step({ sso: { isOffered: true, isEnforced: true }, memory: byCode })).toEqual({
    step: 'sso',
    isEnforced: true,
  });
  expect(step({ offers: { password: false } })).toEqual({ step: 'none' });
  expect(step({ isNew: true })).toEqual({ step: 'sign-up' });
  expect(step({ isNew: true, sso })).toEqual({ step: 'sso', isEnforced: false });
  expect(step({ isNew: true, offers: { password: false } })).toEqual({ step: 'none' });
  const facts = { offers: password, sso, memory: nothing, isNew: false };
  const phone = nextStepFor({ phone: '447700900123' }, facts);
  expect(phone).toEqual({ step: 'code' });
});

test.each([
  [' ada@works.example ', true, { email: 'ada@works.example' }],
  ['+44 7700 900-123', true, { phone: '447700900123' }],
  ['+44 7700 900-123', false, undefined],
  ['ada', true, undefined],
])('%s is read as an address', (typed, phone, identifier) => {
  expect(parseIdentifier(typed, { phone, password: true })).toEqual(identifier);
});

test('the browser remembers five accounts, the last used one first, and forgets them', () => {
  let memory = nothing;
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'B'])
    memory = remember(memory, { name, way: 'password' });
  expect(memory.accounts.map(({ name }) => name)).toEqual(['B', 'f', 'e', 'd', 'c']);
  expect(readMemory(writeMemory(memory))).toEqual(memory);
  memory = remember(memory, { name: '', way: 'guest' });
  expect([memory.accounts.length, memory.last]).toEqual([5, 'guest']);
  for (const { name } of memory.accounts) memory = forget(memory, name.toUpperCase());
  expect(writeMemory(memory)).toBeUndefined();
  expect(readAddress(writeAddress('ada@works.example'))).toBe('ada@works.example');
  for (const value of ['', 'a'.repeat(9000), writeAddress('a\nb')])
    expect(readAddress(value)).toBeUndefined();
});
