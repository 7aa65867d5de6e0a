/**
 * Converts errors to messages for users. Load this module with `loadProblems` from `texts.ts`, which also loads the
 * messages.
 */
import { ApiError } from '../../lib/api.ts';
import { hasMessage } from '../../lib/i18n.ts';
import { SessionFault } from '../../lib/session/index.ts';
import type { Problem } from '../../ui/error-summary.tsx';
import { type TextId, t } from '../text.ts';

type KeyText = 'error.key-canceled' | 'error.key-not-added' | 'error.key-known' | 'error.wallet-refused';
/**
 * The messages for errors from `methods/keys.ts` and `methods/wallets.ts`. The errors are identified by name, because
 * importing their classes would load these modules.
 */
const keyTexts: Readonly<Record<string, KeyText>> = {
  KeyCanceled: 'error.key-canceled',
  KeyNotAdded: 'error.key-not-added',
  KeyKnown: 'error.key-known',
  WalletRejected: 'error.wallet-refused',
};

/** The errors that users cause by a typing mistake or by choosing a sign-in method other than their organization's. */
const mistakes: ReadonlySet<string> = new Set([
  'invalid_credentials',
  'otp_expired',
  'mfa_verification_failed',
  'sso_required',
]);

/** Results of a visit to an identity provider that are shown without an error code because they aren't failures. */
const expected: ReadonlySet<string> = new Set([
  'access_denied',
  'email_exists',
  'provider_email_needs_verification',
]);

/** Maps error codes to the fields to which they belong. */
export type FieldOf = Readonly<Record<string, string>>;

export function problemOf(error: unknown, fields: FieldOf = {}): Problem {
  if (error instanceof ApiError) {
    const { code, requestId, retryAfterSeconds } = error;
    const retryAt = retryAfterSeconds === undefined ? undefined : Date.now() + retryAfterSeconds * 1000;
    const isMistake = mistakes.has(code);
    return { text: textFor(textCode(error)), code, requestId, retryAt, fieldId: fields[code], isMistake };
  }
  if (error instanceof Error && error.name in keyTexts) return { text: t(keyTexts[error.name] as KeyText) };
  if (error instanceof SessionFault) return { text: textFor(error.code), code: error.message };
  return { text: t('error.other') };
}

/**
 * Returns the code that selects the message. A leaked password meets all requirements, so the message about a leaked
 * password must not mention them. `src/pages/account/routes/forms.ts` applies the same rule.
 */
function textCode({ code, body }: ApiError): string {
  const { reasons = [] } = (body.weak_password ?? {}) as { readonly reasons?: readonly string[] };
  const isLeaked = reasons.length > 0 && reasons.every((reason) => reason === 'pwned');
  return isLeaked ? `${code}-leaked` : code;
}

/** Returns the problem for an error code in a URL. Unknown codes get a generic message. */
export function problemFor(code: string): Problem {
  if (!hasMessage(`error.${code}`)) return { text: t('error.other') };
  return { text: textFor(code), code, isMistake: expected.has(code) };
}

function textFor(code: string): string {
  const id = `error.${code}`;
  return hasMessage(id) ? t(id as TextId) : t('error.other');
}
