import { expect, test } from 'vitest';
import { checkPassword } from '../../../../web/account/form/fields.ts';
import { passwordRules } from './password-rules.ts';

test.each(['', 'letters_digits', 'lower_upper_letters_digits', 'lower_upper_letters_digits_symbols'])(
  '%j: the rules that the scripts check, in order',
  (requirements) => {
    const policy = { minLength: 9, requirements };
    expect(passwordRules(policy)).toEqual(
      checkPassword('', policy).map(({ rule }) =>
        rule === 'length' ? 'password.length.9' : `password.${rule}`,
      ),
    );
  },
);
