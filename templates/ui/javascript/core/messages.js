/** The texts of the components. Change or translate them here. */
export const texts = {
  email: 'Email',
  password: 'Password',
  signIn: 'Sign in',
  signUp: 'Create account',
  noAccount: 'No account yet?',
  hasAccount: 'Already have an account?',
  emailCode: 'Email me a code',
  withPassword: 'Use a password',
  code: 'Code from the email',
  codeSent: 'We’ve emailed a code to {email}.',
  confirmEmail: 'We’ve emailed a link to {email}. Open it to confirm your address.',
  factorCode: 'Code from your authenticator app',
  continue: 'Continue',
  back: 'Back',
  or: 'or',
  guest: 'Continue as guest',
  passkey: 'Sign in with a passkey',
  provider: 'Continue with {provider}',
  account: 'Account settings',
  accounts: 'Switch account',
  signOut: 'Sign out',
  menu: 'Account of {name}',
  guestName: 'Guest',
  organization: 'Organization',
  personal: 'Personal account',
  waiting: 'Continue in the window that has opened.',
  cancel: 'Cancel',
};
/** Messages by the code of the error that the server returned. */
const messages = {
  invalid_credentials: 'The email address or password is incorrect.',
  email_not_confirmed: 'Confirm your email address first. We’ve emailed you a link.',
  user_already_exists: 'An account with this address already exists. Sign in instead.',
  email_exists: 'An account with this address already exists. Sign in instead.',
  weak_password: 'Choose a stronger password.',
  email_address_invalid: 'Enter a valid email address.',
  validation_failed: 'Check what you entered.',
  otp_expired: 'The code is incorrect or has expired.',
  mfa_verification_failed: 'The code is incorrect.',
  over_request_rate_limit: 'Too many attempts. Wait a moment and try again.',
  over_email_send_rate_limit: 'Too many emails. Wait a moment and try again.',
  signup_disabled: 'New accounts can’t be created at the moment.',
  otp_disabled: 'No account has this address.',
  sso_required: 'Sign in with your organization’s single sign-on.',
  user_banned: 'This account is blocked.',
  dialog_canceled: 'Sign-in was canceled.',
  dialog_timeout: 'Sign-in took too long. Try again.',
  access_denied: 'Sign-in was canceled.',
};
/** Returns the message for an error. The server’s own messages are written for users, so they are the fallback. */
export function messageOf(error) {
  if (error.name === 'AuthRetryableFetchError') return 'The server can’t be reached. Check your connection.';
  return messages[error.code ?? ''] ?? error.message;
}
/** Replaces the placeholders in a text. */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
