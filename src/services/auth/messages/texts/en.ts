/** The default emails in English. */
import type { MailTexts, MailWords, TemplateName } from './mails.ts';

export const words: MailWords = {
  when: 'Time',
  device: 'Device',
  network: 'Network',
  deviceName: (browser, system) => `${browser} on ${system}`,
  help: 'Help',
  textMessage: (code, name) => `${code} is your ${name} code. Never share it.`,
};

const ignore = "If you didn't request this, you can ignore this email. Never share the code.";
const expiry = 'The code and the link expire in {{ .ValidFor }}.';
const alarm =
  "If this wasn't you, use this link to undo the change, sign out all devices and choose a new password. If it was you, ignore this email.";
const undo = { label: "This wasn't me", url: 'RevertURL' } as const;

const factor =
  '{{ if eq .FactorType "totp" }}An authenticator app{{ else if eq .FactorType "phone" }}A phone number' +
  '{{ else if eq .FactorType "webauthn" }}A security key{{ else }}{{ .FactorType }}{{ end }}';

const provider =
  '{{ if eq .Provider "email" }}a code by email{{ else if eq .Provider "phone" }}your phone number' +
  '{{ else if eq .Provider "web3" }}a wallet{{ else }}{{ .ProviderName }}{{ end }}';

export const mails: Readonly<Record<TemplateName, MailTexts>> = {
  confirmation: {
    subject: '{{ .Token }} is your {{ .Brand.name }} confirmation code',
    title: 'Confirm your email address',
    intro: `Enter this code, or use the button, to confirm {{ .Email }} and finish signing up to {{ .Brand.name }}. ${expiry}`,
    button: 'Confirm email address',
    showsCode: true,
    closing: ignore,
  },
  invite: {
    subject: "You've been invited to {{ .Brand.name }}",
    title: 'Join {{ .Brand.name }}',
    intro:
      "You've been invited to create an account at {{ .Brand.name }} for {{ .Email }}. The link expires in {{ .ValidFor }}.",
    button: 'Accept invitation',
    closing: "If you didn't expect this invitation, you can ignore this email.",
  },
  organization_invitation: {
    subject:
      "You've been invited to join {{ if .Organization }}{{ .Organization }}{{ else }}an organization{{ end }} on {{ .Brand.name }}",
    title: 'Join {{ if .Organization }}{{ .Organization }}{{ else }}an organization{{ end }}',
    intro:
      '{{ if .Inviter }}{{ .Inviter }} has invited {{ .Email }}{{ else }}{{ .Email }} has been invited{{ end }} to join {{ if .Organization }}{{ .Organization }}{{ else }}an organization{{ end }} on {{ .Brand.name }}. The invitation is valid until {{ .Due }}.',
    button: 'View invitation',
    closing:
      "If you don't know the sender, you can ignore this email. You don't join anything until you accept the invitation.",
  },
  recovery: {
    subject: '{{ .Token }} is your {{ .Brand.name }} password reset code',
    title: 'Reset your password',
    intro: `Enter this code, or use the button, to choose a new password for {{ .Email }}. ${expiry}`,
    button: 'Reset password',
    showsCode: true,
    closing: `${ignore} Your password hasn't changed.`,
  },
  magic_link: {
    subject: '{{ .Token }} is your {{ .Brand.name }} sign-in code',
    title: "{{ if .IsNewDevice }}Confirm that it's you{{ else }}Sign in to {{ .Brand.name }}{{ end }}",
    intro: `{{ if .IsNewDevice }}Your password for {{ .Email }} was entered on a device that you haven't used before{{ if .Device }} ({{ .Device }}){{ end }}. If it was you, enter this code, or use the button, to sign in.{{ else }}Enter this code, or use the button, to sign in as {{ .Email }}.{{ end }} ${expiry}`,
    button: 'Sign in',
    showsCode: true,
    closing: `{{ if .IsNewDevice }}If this wasn't you, someone knows your password. Don't share the code, and choose a new password.{{ else }}${ignore}{{ end }}`,
    undo: { label: 'Choose a new password', url: 'SecureURL' },
  },
  existing_account: {
    subject: '{{ .Token }} is your {{ .Brand.name }} sign-in code. You already have an account',
    title: 'You already have an account',
    intro: `You tried to sign up to {{ .Brand.name }} with {{ .Email }}, but you already have an account. Enter this code, or use the button, to sign in. ${expiry}`,
    button: 'Sign in',
    showsCode: true,
    closing:
      "If you didn't try to sign up, you can ignore this email. Your account and your password haven't changed.",
  },
  no_account: {
    subject: "You don't have a {{ .Brand.name }} account yet",
    title: "You don't have an account yet",
    intro:
      'You tried to sign in to {{ .Brand.name }} with {{ .Email }}, but no account has this address. {{ if .CanSignUp }}Create an account, or sign in with another address that you may have used.{{ else }}Sign in with another address that you may have used.{{ end }}',
    button: '{{ if .CanSignUp }}Create account{{ else }}Use another address{{ end }}',
    closing: "If you didn't try to sign in, you can ignore this email. No account was created.",
  },
  email_change: {
    subject:
      '{{ if .Email }}{{ .Token }} is your {{ .Brand.name }} code for your new email address{{ else }}{{ .Token }} is your {{ .Brand.name }} confirmation code{{ end }}',
    title: '{{ if .Email }}Confirm your new email address{{ else }}Confirm your email address{{ end }}',
    intro: `{{ if .Email }}Enter this code, or use the button, to change the email address of your {{ .Brand.name }} account from {{ .Email }} to {{ .NewEmail }}.{{ else }}Enter this code, or use the button, to add {{ .NewEmail }} to your {{ .Brand.name }} account and save the account.{{ end }} ${expiry}`,
    button: 'Confirm email address',
    showsCode: true,
    closing: ignore,
  },
  email_change_current: {
    subject: 'Your {{ .Brand.name }} email address is about to change',
    title: 'Your email address is about to change',
    intro: `The email address of your {{ .Brand.name }} account is about to change from {{ .Email }} to {{ .NewEmail }}. If you requested this, enter the code or use the button. ${expiry}`,
    button: 'Confirm email address',
    showsCode: true,
    closing: "If this wasn't you, cancel the change now, then choose a new password. Never share the code.",
    undo: { label: 'Cancel the change', url: 'CancelURL' },
  },
  reauthentication: {
    subject: '{{ .Token }} is your {{ .Brand.name }} verification code',
    title: "Confirm that it's you",
    intro:
      'Enter this code to confirm a change to your {{ .Brand.name }} account {{ .Email }}. The code expires in {{ .ValidFor }}.',
    showsCode: true,
    closing:
      "Never share this code. If you didn't request it, someone else is signed in to your account, so choose a new password.",
    undo: { label: 'Choose a new password', url: 'SecureURL' },
  },
  password_changed_notification: {
    subject:
      '{{ if .IsFirstPassword }}A password was set for your {{ .Brand.name }} account{{ else }}Your {{ .Brand.name }} password was changed{{ end }}',
    title: '{{ if .IsFirstPassword }}A password was set{{ else }}Your password was changed{{ end }}',
    intro:
      '{{ if .IsFirstPassword }}You can now sign in to your {{ .Brand.name }} account {{ .Email }} with a password.{{ else }}The password of your {{ .Brand.name }} account {{ .Email }} was changed.{{ end }}',
    closing: alarm,
    undo,
    isNotice: true,
  },
  email_changed_notification: {
    subject: 'Your {{ .Brand.name }} email address was changed',
    title: 'Your email address was changed',
    intro:
      'The email address of your {{ .Brand.name }} account was changed from {{ .OldEmail }} to {{ .Email }}.',
    closing: alarm,
    undo,
    isNotice: true,
  },
  phone_changed_notification: {
    subject: 'Your {{ .Brand.name }} phone number was changed',
    title: 'Your phone number was changed',
    intro:
      'The phone number of your account {{ .Email }} was changed from +{{ .OldPhone }} to +{{ .Phone }}.',
    closing: alarm,
    undo,
    isNotice: true,
  },
  identity_linked_notification: {
    subject: 'A sign-in method was added to your {{ .Brand.name }} account',
    title: 'A sign-in method was added',
    intro: `You can now sign in to your account {{ .Email }} with ${provider}.`,
    closing: alarm,
    undo,
    isNotice: true,
  },
  identity_unlinked_notification: {
    subject: 'A sign-in method was removed from your {{ .Brand.name }} account',
    title: 'A sign-in method was removed',
    intro: `You can no longer sign in to your account {{ .Email }} with ${provider}.`,
    closing: alarm,
    undo,
    isNotice: true,
  },
  mfa_factor_enrolled_notification: {
    subject: 'A verification method was added to your {{ .Brand.name }} account',
    title: 'A verification method was added',
    intro: `${factor} can now be used as the second step when you sign in to your account {{ .Email }}.`,
    closing: alarm,
    undo,
    isNotice: true,
  },
  mfa_factor_unenrolled_notification: {
    subject: 'A verification method was removed from your {{ .Brand.name }} account',
    title: 'A verification method was removed',
    intro: `${factor} can no longer be used as the second step when you sign in to your account {{ .Email }}.`,
    closing: alarm,
    undo,
    isNotice: true,
  },
  passkey_added_notification: {
    subject: 'A passkey was added to your {{ .Brand.name }} account',
    title: 'A passkey was added',
    intro: 'You can now sign in to your account {{ .Email }} with a passkey. Its name is {{ .Passkey }}.',
    closing: alarm,
    undo,
    isNotice: true,
  },
  new_device_notification: {
    subject: 'New sign-in to your {{ .Brand.name }} account',
    title: 'New sign-in to your account',
    intro: "Your account {{ .Email }} was used to sign in on a device that you haven't used before.",
    closing:
      "If this wasn't you, use this link to sign out all devices and choose a new password. If it was you, ignore this email.",
    undo,
    isNotice: true,
  },
  app_connected_notification: {
    subject: 'An app was connected to your {{ .Brand.name }} account',
    title: 'An app was connected',
    intro: '{{ .App }} can now access your account {{ .Email }}.',
    closing: alarm,
    undo,
    isNotice: true,
  },
  sign_in_locked_notification: {
    subject: 'Too many failed sign-ins to your {{ .Brand.name }} account',
    title: 'Sign-ins are paused',
    intro:
      'Someone entered a wrong password or code for your account {{ .Email }} too many times. None of these attempts succeeded. To protect your account, sign-ins from new browsers are paused for now.',
    closing:
      "If this was you, use this link to sign in again immediately. If it wasn't you, your password is still safe. If you also use it elsewhere, choose a new one. You stay signed in on your current devices.",
    undo: { label: 'Unlock sign-in', url: 'UnlockURL' },
    isNotice: true,
  },
  account_secured_notification: {
    subject: 'Your {{ .Brand.name }} account is secured',
    title: 'Your account is secured',
    intro:
      "You reported that a change to your account {{ .Email }} wasn't yours. The change was undone, all devices were signed out, and the old password no longer works.",
    closing:
      "Get a code by email and choose a new password. You don't need the links in earlier notices anymore.",
    undo: { label: 'Choose a new password', url: 'SecureURL' },
    isNotice: true,
  },
  recovery_code_used_notification: {
    subject: 'A recovery code was used for your {{ .Brand.name }} account',
    title: 'A recovery code was used',
    intro: 'A recovery code was used instead of your second step to sign in to your account {{ .Email }}.',
    closing:
      "If this wasn't you, use this link to sign out all devices and choose a new password. If it was you, set up a new second step and remove the lost one.",
    undo,
    isNotice: true,
  },
  factor_removal_requested_notification: {
    subject: 'Confirm the removal of two-step verification from your {{ .Brand.name }} account',
    title: 'Remove two‑step verification?',
    intro:
      'Someone signed in to your account {{ .Email }} and requested removal of two-step verification because the second step was lost. If it was you, confirm the request within an hour.',
    button: 'Review request',
    closing:
      "If this wasn't you, don't confirm the request, and use this link to sign out all devices and choose a new password.",
    undo: { label: 'Choose a new password', url: 'SecureURL' },
    isNotice: true,
  },
  factor_removal_confirmed_notification: {
    subject: 'Two-step verification will be removed from your {{ .Brand.name }} account',
    title: 'Two-step verification will be removed',
    intro:
      'Two-step verification will be removed from your account {{ .Email }} on {{ .Due }}. If you can use your second step again before then, sign in with it to cancel the removal.',
    closing:
      "If this wasn't you, use this link to cancel the removal, sign out all devices and choose a new password. Someone knows your current password.",
    undo,
    isNotice: true,
  },
  factors_reset_notification: {
    subject: 'Two-step verification was removed from your {{ .Brand.name }} account',
    title: 'Two-step verification was removed',
    intro:
      'Two-step verification was removed from your account {{ .Email }}, and all devices were signed out. You can now sign in without a second step. Set up a new one after you sign in.',
    closing: "If this wasn't you, use this link to sign out all devices and choose a new password.",
    undo,
    isNotice: true,
  },
  account_deleted_notification: {
    subject: 'Your {{ .Brand.name }} account was deleted',
    title: 'Your account was deleted',
    intro:
      'Your account {{ .Email }} and its data were permanently deleted. You can no longer sign in to it.',
    closing:
      "If this wasn't you, contact {{ .Brand.name }}, and change the password of your email account, because someone else may have access to it.",
    isNotice: true,
  },
};
