/**
 * Returns messages of the Account pages by typed ID. `loadRest` in `texts.ts` loads the messages that aren't part of
 * the initial load.
 */
import { textOf } from '../lib/i18n.ts';
import type { messages as account } from '../locales/en/account.ts';
import type { messages as activity } from '../locales/en/activity.ts';
import type { messages as apiKeys } from '../locales/en/api-keys.ts';
import type { messages as consent } from '../locales/en/consent.ts';
import type { messages as errors } from '../locales/en/errors.ts';
import type { messages as guest } from '../locales/en/guest.ts';
import type { messages as methods } from '../locales/en/methods.ts';
import type { messages as organizationSso } from '../locales/en/organization-sso.ts';
import type { messages as organizations } from '../locales/en/organizations.ts';
import type { messages as security } from '../locales/en/security.ts';

export type TextId =
  | keyof typeof account
  | keyof typeof activity
  | keyof typeof apiKeys
  | keyof typeof consent
  | keyof typeof errors
  | keyof typeof guest
  | keyof typeof methods
  | keyof typeof organizationSso
  | keyof typeof organizations
  | keyof typeof security;
export const t = textOf<TextId>();
