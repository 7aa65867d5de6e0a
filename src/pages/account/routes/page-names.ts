/** The names of the Account pages, and the type of the function that sends a page. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountRow, ChangeRow } from '../core/html.ts';
import type { StepProblem } from '../core/step.ts';
import type { Ending } from '../types.ts';
import type { AccountFacts } from '../visitor.ts';

/** The names of all pages. A test checks that the build prerenders exactly these pages. */
export const pageNames = [
  'sign-in',
  'password',
  'sign-up',
  'code',
  'recover',
  'sso',
  'guest',
  'upgrade',
  'mfa',
  'two-step',
  'new-password',
  'join',
  'security',
  'organization',
  'consent',
  'confirm',
  'confirm-other',
  'continue',
  'link-expired',
  'signed-out',
  'error',
] as const;
export type PageName = (typeof pageNames)[number];
/** The `plain/…` pages are responses to forms that were posted without scripts (`web/account/plain/`). */
export type AnyPage = PageName | `plain/${string}`;

/** The lists and values that only one page has. */
export interface PageContent {
  /** Fills the page's lists. */
  readonly repeat?: (html: string) => string;
  /** The values of the page's own placeholders, by name. */
  readonly values?: Readonly<Record<string, string>>;
}

/** The parts of a page that differ between requests. */
export interface PageFields {
  /** The hidden fields of the form, as HTML. */
  readonly fields?: string;
  /** The accounts in the browser, for the page that lists these accounts. */
  readonly accounts?: readonly AccountRow[];
  /** The names of the most recently signed-out accounts, as far as this browser still lists them. */
  readonly left?: readonly string[];
  readonly target?: string;
  /**
   * The email address that the page shows. Null if the page must not show any address, not even the one with which the
   * user is signing in.
   */
  readonly email?: string | null;
  readonly host?: string;
  /** The name of the identity provider at which the sign-in continues. */
  readonly connection?: string;
  /** The time at which the change was made, in words. */
  readonly when?: string;
  readonly facts?: AccountFacts;
  /** The later changes, which the page undoes as well. */
  readonly changes?: readonly ChangeRow[];
  /** The number that the waiting window displays. */
  readonly number?: number | undefined;
  /** The browser and operating system in which the waiting window is open or the change was made. */
  readonly device?: { readonly browser: string; readonly system: string };
  readonly problem?: StepProblem;
  /**
   * The error code in a provider's response. Pages with scripts read the code from the URL, and pages without scripts
   * show this value.
   */
  readonly providerError?: string;
  /**
   * The reason why the browser's session ended. Pages with scripts receive the reason with the session data, and pages
   * without scripts show this value.
   */
  readonly ending?: Ending;
  /** The logout pages of OpenID clients that the page loads in frames. */
  readonly frameUrls?: readonly string[];
  readonly status?: number;
  /** Returns the page's own lists and values, in the page's language. `text` returns the text for a code. */
  readonly content?: (text: (code: string) => string) => PageContent;
  /** Whether to omit the scripts, because the scripts would show a different page. */
  readonly isStill?: boolean;
}

export type Send = (
  request: FastifyRequest,
  reply: FastifyReply,
  page: AnyPage,
  fields: PageFields,
) => Promise<FastifyReply>;
