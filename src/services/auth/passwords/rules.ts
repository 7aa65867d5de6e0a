/** Validates passwords against the project's rules. */
import { AuthError, authError, type WeakPasswordReason } from '../errors.ts';

/**
 * The maximum length of a password in bytes. The bcrypt algorithm ignores all bytes after the 72nd. Upstream counts bytes
 * for the minimum length too, although its messages say characters.
 */
const maxBytes = 72;

export interface PasswordRules {
  readonly minLength: number;
  /** Character sets. The password must contain a character from each set. */
  readonly requiredSets: readonly string[];
}

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const digits = '0123456789';
const symbols = '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~';

/** Parses the setting `password_requirements` into character sets. */
export function requiredSets(requirements: string): readonly string[] {
  switch (requirements) {
    case 'letters_digits':
      return [lower + upper, digits];
    case 'lower_upper_letters_digits':
      return [lower, upper, digits];
    case 'lower_upper_letters_digits_symbols':
      return [lower, upper, digits, symbols];
    default:
      return [];
  }
}

/**
 * Returns an error with the reasons why the password violates the rules, or undefined if the password meets all rules.
 * @throws {AuthError} validation_failed if the password is too long
 */
export function passwordFault(
  password: string,
  rules: PasswordRules,
  isLeaked = false,
): AuthError | undefined {
  if (Buffer.byteLength(password) > maxBytes) {
    throw authError('validation_failed', `Password cannot be longer than ${maxBytes} characters`);
  }
  const reasons: WeakPasswordReason[] = [];
  const messages: string[] = [];
  if (Buffer.byteLength(password) < rules.minLength) {
    reasons.push('length');
    messages.push(`Password should be at least ${rules.minLength} characters.`);
  }
  const lacksOne = rules.requiredSets.some((set) => ![...set].some((letter) => password.includes(letter)));
  if (lacksOne) {
    reasons.push('characters');
    messages.push(
      `Password should contain at least one character of each: ${rules.requiredSets.join(', ')}.`,
    );
  }
  if (isLeaked) {
    reasons.push('pwned');
    messages.push('Password is known to be weak and easy to guess, please choose a different one.');
  }
  if (reasons.length === 0) return undefined;
  return new AuthError('weak_password', { message: messages.join(' '), weakPasswordReasons: reasons });
}
