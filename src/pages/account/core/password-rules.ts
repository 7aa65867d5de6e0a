/**
 * The IDs of the messages that describe each value of `password_requirements`. A test checks that the pages' scripts
 * contain the same list.
 */
const required: Readonly<Record<string, readonly string[]>> = {
  letters_digits: ['letter', 'digit'],
  lower_upper_letters_digits: ['lower', 'upper', 'digit'],
  lower_upper_letters_digits_symbols: ['lower', 'upper', 'digit', 'symbol'],
};

export interface PasswordPolicy {
  readonly minLength: number;
  /** The value of `password_requirements` in config.toml. */
  readonly requirements: string;
}

/**
 * Returns the IDs of the messages that describe the project's password requirements.
 *
 * @example passwordRules({ minLength: 8, requirements: 'letters_digits' }) // ['password.length.8', 'password.letter', 'password.digit']
 */
export function passwordRules({ minLength, requirements }: PasswordPolicy): readonly string[] {
  const more = required[requirements] ?? [];
  return [`password.length.${minLength}`, ...more.map((rule) => `password.${rule}`)];
}
