/**
 * Stores the progress of a visitor whose browser runs no scripts, such as the error in the form that the visitor posted
 * or the code that the visitor must enter. A cookie passes the progress from the form to the resulting page, so that
 * the form isn't sent again when the user reloads the page. The cookie affects only what a page shows and grants no
 * access.
 */

import { isRecord } from '../../../base/shared/json.ts';
import { escapeText } from './html.ts';

export type CodePurpose = 'sign-in' | 'confirm' | 'recover';

export interface StepProblem {
  /** The error code that the auth service or the Account API returned. The page shows the corresponding message. */
  readonly code: string;
  /** The field to which the error applies, or `form` if the error doesn't apply to a field. */
  readonly place: string;
  readonly requestId: string;
}

export interface Step {
  /** The page that shows the error. */
  readonly page: string;
  readonly problem?: StepProblem;
  readonly email?: string;
  /** The purpose of the code that was sent to `email`. */
  readonly purpose?: CodePurpose;
  /** The text of a field that the page shows again. */
  readonly typed?: string;
  readonly resent?: boolean;
  /** Whether the visitor tried to continue before confirming the link in the email on another device. */
  readonly unconfirmed?: boolean;
  /** Whether the page for the second factor prompts for a recovery code. */
  readonly recovery?: boolean;
  /** Whether SSO is the only way to sign in with the address. */
  readonly enforced?: boolean;
  /** Whether the visitor tried to sign in with an address that no account has. */
  readonly unknown?: boolean;
  /** Whether a new password wasn't saved, because the visitor must use the second factor first. */
  readonly unsaved?: boolean;
  /** Whether the visitor has just signed in and can return to the app without another prompt. */
  readonly arrived?: boolean;
}

const purposes: ReadonlySet<unknown> = new Set<CodePurpose>(['sign-in', 'confirm', 'recover']);
/** Only these values are accepted, because the value becomes part of a file name. */
const places: ReadonlySet<string> = new Set([
  'form',
  'email',
  'password',
  'code',
  'domain',
  'unconfirmed',
  'name',
  'slug',
]);
const maxStepLength = 512;

export function writeStep(step: Step): string {
  return Buffer.from(JSON.stringify(step)).toString('base64url');
}

/** Parses the cookie's value. Returns undefined for values that {@link writeStep} didn't write. */
export function readStep(value: string | undefined): Step | undefined {
  const fields = value === undefined || value.length > 4096 ? undefined : parse(value);
  const page = text(fields?.page);
  if (fields === undefined || page === undefined) return undefined;
  const problem = problemOf(fields.problem);
  const [email, typed] = [text(fields.email), text(fields.typed)];
  return {
    page,
    ...(problem === undefined ? {} : { problem }),
    ...(email === undefined ? {} : { email }),
    ...(purposes.has(fields.purpose) ? { purpose: fields.purpose as CodePurpose } : {}),
    ...(typed === undefined ? {} : { typed }),
    ...(fields.resent === true ? { resent: true } : {}),
    ...(fields.unconfirmed === true ? { unconfirmed: true } : {}),
    ...(fields.recovery === true ? { recovery: true } : {}),
    ...(fields.enforced === true ? { enforced: true } : {}),
    ...(fields.unknown === true ? { unknown: true } : {}),
    ...(fields.unsaved === true ? { unsaved: true } : {}),
    ...(fields.arrived === true ? { arrived: true } : {}),
  };
}

/**
 * Returns hidden fields that identify the code that the visitor must enter in the form, because another tab may require
 * a different code.
 */
export function sentFields({ email, purpose }: Pick<Step, 'email' | 'purpose'>): string {
  if (email === undefined || purpose === undefined) return '';
  const fields = { sent_to: email, purpose };
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeText(value)}">`)
    .join('');
}

/** Returns the code that {@link sentFields} identifies, or undefined if the form doesn't contain these fields. */
export function readSent(form: URLSearchParams): Step | undefined {
  const [email, purpose] = [text(form.get('sent_to')), form.get('purpose')];
  return email === undefined || !purposes.has(purpose)
    ? undefined
    : { page: 'code', email, purpose: purpose as CodePurpose };
}

function problemOf(value: unknown): StepProblem | undefined {
  if (!isRecord(value)) return undefined;
  const [code, place, requestId] = [text(value.code), text(value.place), text(value.requestId)];
  return code === undefined || place === undefined || !places.has(place) || requestId === undefined
    ? undefined
    : { code, place, requestId };
}

function parse(value: string): Record<string, unknown> | undefined {
  try {
    const fields: unknown = JSON.parse(Buffer.from(value, 'base64url').toString('utf8'));
    return isRecord(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxStepLength ? value : undefined;
