/**
 * Interface text of the pages that respond to forms without JavaScript. These pages are prerendered and not part of a
 * bundle.
 */
export const messages = {
  'page.signed-in': 'You’re signed in',
  'page.refused': 'This form can’t be submitted',
  'page.failed': 'Something went wrong',

  'field.code-empty': 'Enter your code.',

  'plain.sent':
    'If {email} has an account, we’ve emailed you a code. You can also open the link in the email.',
  'plain.sent-confirm':
    'We’ve emailed a code to {email}. Enter it to confirm your address, or open the link in the email.',
  'plain.mfa': 'Open your authenticator app and enter the code for {name}.',
  'plain.as': 'Signed in as {who}.',
  'plain.as-guest': 'You’re using a guest account.',
  'plain.continue': 'Continue to {host}',
  'plain.continue-hint': 'You’ll be redirected in a moment. If nothing happens, use the link.',
  'plain.account': 'Your account',
  'plain.sign-out': 'Sign out',
  'plain.refused':
    'The page may have been open for too long, or the form didn’t come from this site. Nothing was changed. Open the page again and resubmit the form.',
  'plain.failed': 'Something went wrong on our side. Try again in a moment.',
} as const;
