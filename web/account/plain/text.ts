import { textOf } from '../../lib/i18n.ts';
import type { messages as account } from '../../locales/en/account.ts';
import type { messages as guest } from '../../locales/en/guest.ts';
import type { messages as methods } from '../../locales/en/methods.ts';
import type { messages as organizationSso } from '../../locales/en/organization-sso.ts';
import type { messages as organizations } from '../../locales/en/organizations.ts';
import type { messages as plain } from '../../locales/en/plain.ts';
import type { messages as shared } from '../../locales/en/shared.ts';

export const t = textOf<
  | keyof typeof account
  | keyof typeof guest
  | keyof typeof methods
  | keyof typeof organizationSso
  | keyof typeof organizations
  | keyof typeof plain
  | keyof typeof shared
>();
