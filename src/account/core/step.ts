/**
 * How far somebody without scripts has come: what was wrong with the form they sent, and which code they wait for. It
 * stands in a cookie between a form and the page that answers it, so that reloading sends nothing twice. It only says
 * what a page shows; nothing is allowed because of it.
 */

import { escapeText } from './html.ts';

export type CodePurpose = 'sign-in' | 'confirm' | 'recover';

export interface StepProblem {
  /** Of auth or of ours; a page shows its text. */
  readonly code: string;
  /** The field it belongs to; `form` when to none. */
  readonly place: string;
  readonly requestId: string;
}

export interface Step {
  /** The page it is about. */
  readonly page: string;
  readonly problem?: StepProblem;
  readonly email?: string;
  /** A code was sent to `email` for this. */
  readonly purpose?: CodePurpose;
  readonly resent?: boolean;
  /** Signed in a moment ago: the way back to the app is open without another question. */
  readonly arrived?: boolean;
}

const purposes: ReadonlySet<unknown> = new Set<CodePurpose>(['sign-in', 'confirm', 'recover']);
/** Each is part of a file's name. */
const places: ReadonlySet<string> = new Set(['form', 'email', 'password', 'code']);
const longest = 512;

export function writeStep(step: Step): string {
  return Buffer.from(JSON.stringify(step)).toString('base64url');
}

/** Undefined for anything that {@link writeStep} cannot have written. */
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

/** The hidden fields by which a form says which code it is for: another tab may wait for another one since. */
export function sentFields({ email, purpose }: Pick<Step, 'email' | 'purpose'>): string {
  if (email === undefined || purpose === undefined) return '';
  const fields = { sent_to: email, purpose };
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeText(value)}">`)
    .join('');
}

/** Undefined where {@link sentFields} has written nothing. */
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

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= longest ? value : undefined;
