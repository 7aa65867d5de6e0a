/** Reads and validates the fields of forms that browsers submit without scripts. */
import { AccountError } from './errors.ts';

const maxFieldLength = 4096;

/** The name of the field for a recovery code. Only the form that asks for a recovery code contains this field. */
export const recoveryField = 'recovery-code';

/** The error for an invalid field. `code` is the ID of the message that explains the error. */
export class FieldFault extends Error {
  override readonly name = 'FieldFault';
  readonly code: string;
  readonly place: string;
  constructor(code: string, place: string) {
    super(code);
    this.code = code;
    this.place = place;
  }
}

/**
 * Returns the text of a field.
 * @param place The field that shows the error.
 * @throws {FieldFault} with the code `missing` if the field is empty
 */
export function textIn(form: URLSearchParams, name: string, missing: string, place = name): string {
  const text = form.get(name) ?? '';
  if (text === '') throw new FieldFault(missing, place);
  if (text.length > maxFieldLength) throw new AccountError('bad_request');
  return text;
}

export function emailIn(form: URLSearchParams): string {
  const email = textIn(form, 'email', 'field.email-missing').trim();
  if (!/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(email)) throw new FieldFault('field.email-wrong', 'email');
  return email;
}

/**
 * Returns the digits of the typed code. Also accepts Arabic and Persian digits, as `digitsOf` in
 * `web/account/form/fields.ts` does.
 */
export function digitsIn(form: URLSearchParams): string {
  const digits = textIn(form, 'code', 'field.code-empty')
    .replace(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15))
    .replace(/\D/g, '');
  if (digits === '' || digits.length > 10) throw new FieldFault('field.code-empty', 'code');
  return digits;
}
