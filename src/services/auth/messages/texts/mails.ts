/**
 * Defines the default emails, whose texts are in a catalog per language (`texts/en.json`). A catalog is read when it is
 * first needed.
 */
import { readFileSync } from 'node:fs';
import { type LanguageTag, languages } from '../../../../base/shared/languages.ts';

export type MailLanguage = LanguageTag;

/** The texts of an email. Each text is a Go template. `.Brand.name` is the project's name. */
export interface MailTexts {
  readonly subject: string;
  readonly title: string;
  readonly intro: string;
  /** The label of the button that opens .ConfirmationURL. */
  readonly button?: string;
  /** Explains what recipients should do if they didn't request the email. */
  readonly closing: string;
  /** The label of the link that reverses the change. */
  readonly undo?: string;
}

/** The words that all emails in a language share. */
export interface MailWords {
  readonly when: string;
  readonly device: string;
  readonly network: string;
  /** Separates the name of a fact from its value. */
  readonly colon: string;
  /** Describes a device by its `{browser}` and operating `{system}`. */
  readonly deviceName: string;
  readonly help: string;
  /** The text message that contains a `{code}`. `{name}` is the project's name. */
  readonly textMessage: string;
}

export interface MailCatalog {
  readonly words: MailWords;
  /** Texts that several emails contain. An email refers to a part by its name, such as `{expiry}`. */
  readonly parts: Readonly<Record<string, string>>;
  readonly mails: Readonly<Record<TemplateName, MailTexts>>;
}

interface MailStructure {
  readonly showsCode?: boolean;
  /** Whether the email shows when and on which device the change was made. */
  readonly isNotice?: boolean;
  /** The template value that contains the URL of the link that reverses the change. */
  readonly undo?: 'CancelURL' | 'RevertURL' | 'UnlockURL' | 'SecureURL';
}

/** What the emails contain besides their texts. */
export const mailStructures = {
  confirmation: { showsCode: true },
  invite: {},
  organization_invitation: {},
  recovery: { showsCode: true },
  magic_link: { showsCode: true, undo: 'SecureURL' },
  existing_account: { showsCode: true },
  no_account: {},
  email_change: { showsCode: true },
  email_change_current: { showsCode: true, undo: 'CancelURL' },
  reauthentication: { showsCode: true, undo: 'SecureURL' },
  password_changed_notification: { isNotice: true, undo: 'RevertURL' },
  email_changed_notification: { isNotice: true, undo: 'RevertURL' },
  phone_changed_notification: { isNotice: true, undo: 'RevertURL' },
  identity_linked_notification: { isNotice: true, undo: 'RevertURL' },
  identity_unlinked_notification: { isNotice: true, undo: 'RevertURL' },
  mfa_factor_enrolled_notification: { isNotice: true, undo: 'RevertURL' },
  mfa_factor_unenrolled_notification: { isNotice: true, undo: 'RevertURL' },
  passkey_added_notification: { isNotice: true, undo: 'RevertURL' },
  new_device_notification: { isNotice: true, undo: 'RevertURL' },
  app_connected_notification: { isNotice: true, undo: 'RevertURL' },
  api_key_created_notification: { isNotice: true, undo: 'RevertURL' },
  sign_in_locked_notification: { isNotice: true, undo: 'UnlockURL' },
  account_secured_notification: { isNotice: true, undo: 'SecureURL' },
  recovery_code_used_notification: { isNotice: true, undo: 'RevertURL' },
  factor_removal_requested_notification: { isNotice: true, undo: 'SecureURL' },
  factor_removal_confirmed_notification: { isNotice: true, undo: 'RevertURL' },
  factors_reset_notification: { isNotice: true, undo: 'RevertURL' },
  account_deleted_notification: { isNotice: true },
} as const satisfies Record<string, MailStructure>;

export type TemplateName = keyof typeof mailStructures;
export const templateNames = Object.keys(mailStructures) as readonly TemplateName[];

export const structureOf = (name: TemplateName): MailStructure => mailStructures[name];

const catalogs = new Map<MailLanguage, MailCatalog>();

/** Returns the catalog of a language, in which the names of parts are replaced with their texts. */
export function catalogIn(language: MailLanguage): MailCatalog {
  const known = catalogs.get(language) ?? readCatalog(language);
  catalogs.set(language, known);
  return known;
}

function readCatalog(language: MailLanguage): MailCatalog {
  const file = new URL(`${language}.json`, import.meta.url);
  const { words, parts, mails } = JSON.parse(readFileSync(file, 'utf8')) as MailCatalog;
  const expanded = Object.entries(mails).map(([name, texts]) => [
    name,
    Object.fromEntries(Object.entries(texts).map(([part, text]) => [part, fillWords(text, parts)])),
  ]);
  return { words, parts, mails: Object.fromEntries(expanded) as MailCatalog['mails'] };
}

/** Replaces `{name}` with the value of `name`. Actions of Go templates have two braces and don't change. */
export const fillWords = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/(?<!\{)\{(\w+)\}(?!\})/g, (whole, name: string) => values[name] ?? whole);

/** Returns the language of emails that a page in this language requests. Defaults to English. */
export const mailLanguage = (pageLanguage: string | undefined): MailLanguage =>
  pageLanguage !== undefined && Object.hasOwn(languages, pageLanguage)
    ? (pageLanguage as MailLanguage)
    : 'en';

/** The subjects that upstream uses. Emails that weren't requested on the Account pages use these subjects. */
export const upstreamSubjects: Readonly<Partial<Record<TemplateName, string>>> = {
  confirmation: 'Confirm your email address',
  invite: "You've been invited",
  recovery: 'Reset your password',
  magic_link: 'Your sign-in link',
  email_change: 'Confirm your new email address',
  email_change_current: 'Confirm your new email address',
  reauthentication: '{{ .Token }} is your verification code',
  password_changed_notification: 'Your password was changed',
  email_changed_notification: 'Your email address was changed',
  phone_changed_notification: 'Your phone number was changed',
  identity_linked_notification: 'A new sign-in method was linked to your account',
  identity_unlinked_notification: 'A sign-in method was removed from your account',
  mfa_factor_enrolled_notification: 'A new verification method was added to your account',
  mfa_factor_unenrolled_notification: 'A verification method was removed from your account',
};
