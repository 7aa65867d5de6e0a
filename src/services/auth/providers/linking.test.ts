import { expect, test } from 'vitest';
import { candidateEmail, decideLinking, verifiedEmails } from './linking.ts';

const email = (address: string, verified: boolean, primary = false) => ({
  email: address,
  verified,
  primary,
});

test('accounts are found only by verified addresses', () => {
  const emails = [email('A@x.com', true, true), email('b@x.com', false)];
  expect(verifiedEmails(emails)).toEqual(['a@x.com']);
});

test('an account is created with the primary address, or without one', () => {
  expect(candidateEmail([email('b@x.com', true), email('A@x.com', false, true)])).toEqual({
    email: 'a@x.com',
    verified: false,
  });
  expect(candidateEmail([email('b@x.com', true)])).toEqual({ email: '', verified: false });
});

const google = [['google', 'u1']] as const;
const github = [['github', 'u1']] as const;

test.each([
  ['no account has the address', 'google', {}, { kind: 'create' }],
  ['one account has it', 'google', { users: ['u1'] }, { kind: 'link', userId: 'u1' }],
  ['one identity has it', 'google', { identities: github }, { kind: 'link', userId: 'u1' }],
  [
    'identities come before accounts',
    'google',
    { identities: github, users: ['u2'] },
    { kind: 'link', userId: 'u1' },
  ],
  [
    'several of one account',
    'google',
    { identities: [...github, ['email', 'u1']], users: ['u1'] },
    { kind: 'link', userId: 'u1' },
  ],
  [
    'identities of two accounts',
    'google',
    { identities: [...github, ['email', 'u2']] },
    { kind: 'ambiguous' },
  ],
  ['two accounts', 'google', { users: ['u1', 'u2'] }, { kind: 'ambiguous' }],
  [
    'an SSO identity is of no concern to others',
    'google',
    { identities: [['sso:a', 'u1']] },
    { kind: 'create' },
  ],
  ['nor are others to SSO', 'sso:a', { identities: google, users: ['u1'] }, { kind: 'create' }],
  ['nor one SSO connection to another', 'sso:a', { identities: [['sso:b', 'u1']] }, { kind: 'create' }],
  [
    'one SSO connection links',
    'sso:a',
    {
      identities: [
        ['sso:a', 'u1'],
        ['google', 'u2'],
      ],
      users: ['u2'],
    },
    { kind: 'link', userId: 'u1' },
  ],
] as const)('%s', (_name, provider, known: Known, decision) => {
  const { identities = [], users = [] } = known;
  const rows = identities.map(([of, userId]) => ({ provider: of, user_id: userId }));
  expect(decideLinking(provider, rows, users)).toEqual(decision);
});

interface Known {
  readonly identities?: readonly (readonly [provider: string, userId: string])[];
  readonly users?: readonly string[];
}
