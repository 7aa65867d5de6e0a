/** The titles of emails. */
import { t } from './text.ts';

const titles = {
  confirmation: 'settings.mail-confirmation',
  invite: 'settings.mail-invite',
  organization_invitation: 'settings.mail-organization-invitation',
  recovery: 'settings.mail-recovery',
  magic_link: 'settings.mail-magic-link',
  existing_account: 'settings.mail-existing-account',
  no_account: 'settings.mail-no-account',
  email_change: 'settings.mail-email-change',
  email_change_current: 'settings.mail-email-change-current',
  reauthentication: 'settings.mail-reauthentication',
  password_changed_notification: 'settings.mail-password-changed',
  email_changed_notification: 'settings.mail-email-changed',
  phone_changed_notification: 'settings.mail-phone-changed',
  identity_linked_notification: 'settings.mail-identity-linked',
  identity_unlinked_notification: 'settings.mail-identity-unlinked',
  mfa_factor_enrolled_notification: 'settings.mail-factor-enrolled',
  mfa_factor_unenrolled_notification: 'settings.mail-factor-unenrolled',
  passkey_added_notification: 'settings.mail-passkey-added',
  new_device_notification: 'settings.mail-new-device',
  app_connected_notification: 'settings.mail-app-connected',
  api_key_created_notification: 'settings.mail-api-key-created',
  sign_in_locked_notification: 'settings.mail-sign-in-locked',
  account_secured_notification: 'settings.mail-account-secured',
  recovery_code_used_notification: 'settings.mail-recovery-code-used',
  factor_removal_requested_notification: 'settings.mail-removal-requested',
  factor_removal_confirmed_notification: 'settings.mail-removal-confirmed',
  factors_reset_notification: 'settings.mail-factors-reset',
  account_deleted_notification: 'settings.mail-account-deleted',
} as const;

export const mailTitle = (name: string): string =>
  name in titles ? t(titles[name as keyof typeof titles]) : name;
