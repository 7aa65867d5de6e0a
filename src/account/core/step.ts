/**
 * The progress of a visitor without scripts: the error in the posted form, and the code that is expected. It is stored
 * in a cookie between a form and the resulting page, so that a reload doesn't repeat any request. It only affects what
 * a page shows and grants nothing.
 */

import { isRecord } from '../../shared/is-record.ts';
import { escapeText } from './html.ts';

export type CodePurpose = 'sign-in' | 'confirm' | 'recover';

export interface StepProblem {
  /** The code of an auth or Account error, whose text the page shows. */
  readonly code: string;
  /** The affected field, or `form` if no field is affected. */
  readonly place: string;
  readonly requestId: string;
}

export interface Step {
  /** The page that the problem belongs to. */
  readonly page: string;
  readonly problem?: StepProblem;
  readonly email?: string;
  /** The purpose of the code that was sent to `email`. */
  readonly purpose?: CodePurpose;
  readonly resent?: boolean;
  /** Whether the visitor has just signed in and can return to the app without another prompt. */
  readonly arrived?: boolean;
}

const purposes: ReadonlySet<unknown> = new Set<CodePurpose>(['sign-in', 'confirm', 'recover']);
/** Each value is part of a file name. */
const places: ReadonlySet<string> = new Set(['form', 'email', 'password', 'code']);
const longest = 512;

export function writeStep(step: Step): string {
  return Buffer.from(JSON.stringify(step)).toString('base64url');
}

/** Returns undefined for a value that {@link writeStep} can't have written. */
export function readStep(value: string | undefined): Step | undefined {
  const fields = value === undefined || value.length > 4096 ? undefined : parse(value);
  const page = text(fields?.page);
  if (fields === undefined || page === undefined) return undefined;
  const problem = problemOf(fields.problem);
  const email = text(fields.email);
  return {
    page,
    ...(problem === undefined ? {} : { problem }),
    ...(email === undefined ? {} : { email }),
    ...(purposes.has(fields.purpose) ? { purpose: fields.purpose as CodePurpose } : {}),
    ...(fields.resent === true ? { resent: true } : {}),
    ...(fields.arrived === true ? { arrived: true } : {}),
  };
}

/**
 * Returns hidden fields that identify the code that a form is for, because another tab may be waiting for a different
 * code.
 */
export function sentFields({ email, purpose }: Pick<Step, 'email' | 'purpose'>): string {
  if (email === undefined || purpose === undefined) return '';
  const fields = { sent_to: email, purpose };
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeText(value)}">`)
    .join('');
}

/** Returns undefined if {@link sentFields} wrote nothing. */
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
  typeof value === 'string' && value !== '' && value.length <= longest ? value : undefined;
