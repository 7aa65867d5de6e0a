import { compileMessage } from '@lingui/message-utils/compileMessage';
import { expect, test } from 'vitest';
import { accountErrors } from '../../src/account/errors.ts';
import { faultMessages } from '../lib/session/faults.ts';
import { messages as account } from './en/account.ts';
import { messages as consent } from './en/consent.ts';
import { messages as errors } from './en/errors.ts';
import { messages as plain } from './en/plain.ts';
import { messages as shared } from './en/shared.ts';
import { pseudoMessages } from './pseudo.ts';

const all = { ...shared, ...account, ...errors, ...consent, ...plain };

test('no id stands in two catalogues', () => {
  const sizes = [shared, account, errors, consent, plain].map((catalogue) => Object.keys(catalogue).length);
  expect(Object.keys(all)).toHaveLength(sizes.reduce((sum, size) => sum + size));
});

test('every message is well-formed', () => {
  for (const text of Object.values(all)) expect(() => compileMessage(text)).not.toThrow();
});

test('every fault of a token, and every error of our own server that a person can meet, has words', () => {
  const ours = Object.keys(accountErrors).filter(
    (code) => !['not_found', 'internal_error', 'bad_request'].includes(code),
  );
  for (const code of [...Object.keys(faultMessages), ...ours])
    expect(errors).toHaveProperty([`error.${code}`]);
});

test('the pseudo-locale changes texts and keeps placeholders', () => {
  const compiled = { hello: compileMessage('Hello {name}, {count, plural, one {# day} other {# days}}') };
  expect(pseudoMessages(compiled as never).hello).toEqual([
    '⟨',
    'Héĺĺó ',
    ['name'],
    ', ',
    ['count', 'plural', { one: ['#', ' đáý'], other: ['#', ' đáýš'] }],
    ' ···⟩',
  ]);
});
