/** The Account pages by name, and the function that sends one. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StepProblem } from '../core/step.ts';

/** All pages. The build prerenders exactly these (compared by a test). */
export const pageNames = [
  'sign-in',
  'sign-up',
  'code',
  'recover',
  'sso',
  'guest',
  'upgrade',
  'mfa',
  'new-password',
  'security',
  'consent',
  'confirm',
  'confirm-other',
  'continue',
  'link-expired',
  'signed-out',
  'error',
] as const;
export type PageName = (typeof pageNames)[number];
/** `plain/…` pages are responses to a form that was posted without scripts (`web/account/plain/`). */
export type AnyPage = PageName | `plain/${string}`;

/** The parts of a page that depend on the request. */
export interface PageFields {
  /** Hidden fields of the form, as HTML. */
  readonly fields?: string;
  readonly target?: string;
  readonly email?: string;
  readonly host?: string;
  readonly problem?: StepProblem;
  /**
   * The error code from a provider's response. Scripts read it from the address, and pages without scripts show it from
   * here.
   */
  readonly told?: string;
  readonly status?: number;
  /** Whether to omit the scripts, because they would show a different page. */
  readonly isStill?: boolean;
}

export type Send = (
  request: FastifyRequest,
  reply: FastifyReply,
  page: AnyPage,
  fields: PageFields,
) => Promise<FastifyReply>;
