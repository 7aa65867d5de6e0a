/** Defines the texts of the default emails. For each language, a separate file contains the texts of all emails. */

export type MailLanguage = 'en' | 'ar';

/** The texts of an email. Each text is a Go template. `.Brand.name` is the project's name. */
export interface MailTexts {
  readonly subject: string;
  readonly title: string;
  readonly intro: string;
  /** The label of the button that opens .ConfirmationURL. */
  readonly button?: string;
  readonly showsCode?: boolean;
  /** Explains what recipients should do if they didn't request the email. */
  readonly closing: string;
  /**
   * The label of the link that reverses the change, and the name of the template value that contains the link's URL.
   */
  readonly undo?: {
    readonly label: string;
    readonly url: 'CancelURL' | 'RevertURL' | 'UnlockURL' | 'SecureURL';
  };
  /** Whether the email shows when and on which device the change was made. */
  readonly isNotice?: boolean;
}

/** The words that all emails in a language share. */
export interface MailWords {
  readonly when: string;
  readonly device: string;
  readonly network: string;
  /** Describes a device by its browser and operating system. */
  readonly deviceName: (browser: string, system: string) => string;
  readonly help: string;
  /** The text message that contains a code. */
  readonly textMessage: (code: string, name: string) => string;
}

export const templateNames = [
  'confirmation',
  'invite',
  'organization_invitation',
  'recovery',
  'magic_link',
  'existing_account',
  'no_account',
  'email_change',
  'email_change_current',
  'reauthentication',
  'password_changed_notification',
  'email_changed_notification',
  'phone_changed_notification',
  'identity_linked_notification',
  'identity_unlinked_notification',
  'mfa_factor_enrolled_notification',
  'mfa_factor_unenrolled_notification',
  'passkey_added_notification',
  'new_device_notification',
  'app_connected_notification',
  'sign_in_locked_notification',
  'account_secured_notification',
  'recovery_code_used_notification',
  'factor_removal_requested_notification',
  'factor_removal_confirmed_notification',
  'factors_reset_notification',
  'account_deleted_notification',
] as const;

export type TemplateName = (typeof templateNames)[number];

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
