/** Provides the pages' messages in one language, so that flows can find text by message ID. */
import { readdirSync } from 'node:fs';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import type { LanguageTag } from '../../../src/base/shared/languages.ts';
import { activateLocale, addMessages, type Catalog, textOf } from '../../../web/lib/i18n.ts';
import type { messages as account } from '../../../web/locales/en/account.ts';
import type { messages as activity } from '../../../web/locales/en/activity.ts';
import type { messages as apiKeys } from '../../../web/locales/en/api-keys.ts';
import type { messages as consent } from '../../../web/locales/en/consent.ts';
import type { messages as errors } from '../../../web/locales/en/errors.ts';
import type { messages as guest } from '../../../web/locales/en/guest.ts';
import type { messages as methods } from '../../../web/locales/en/methods.ts';
import type { messages as organizationSso } from '../../../web/locales/en/organization-sso.ts';
import type { messages as organizations } from '../../../web/locales/en/organizations.ts';
import type { messages as pending } from '../../../web/locales/en/pending.ts';
import type { messages as plain } from '../../../web/locales/en/plain.ts';
import type { messages as security } from '../../../web/locales/en/security.ts';
import type { messages as shared } from '../../../web/locales/en/shared.ts';
import { directionOf } from '../../../web/locales/languages.ts';

type TextId =
  | keyof typeof account
  | keyof typeof activity
  | keyof typeof apiKeys
  | keyof typeof consent
  | keyof typeof errors
  | keyof typeof guest
  | keyof typeof methods
  | keyof typeof organizationSso
  | keyof typeof organizations
  | keyof typeof pending
  | keyof typeof plain
  | keyof typeof security
  | keyof typeof shared;

export const say = textOf<TextId>();

const folder = new URL('../../../web/locales/', import.meta.url);

/** Sets the language of {@link say}. */
export async function speak(language: LanguageTag): Promise<void> {
  for (const file of readdirSync(new URL(`${language}/`, folder))) {
    const { messages } = (await import(new URL(`${language}/${file}`, folder).href)) as {
      messages: Catalog;
    };
    const compiled = Object.entries(messages).map(([id, text]) => [id, compileMessage(text)]);
    addMessages(language, Object.fromEntries(compiled));
  }
  activateLocale(language, directionOf(language));
}
