/** Texts of the pages that answer forms where no script runs. They are prerendered and never reach a script. */
export const messages = {
  'page.signed-in': 'You’re signed in',
  'page.refused': 'This form can’t be sent',
  'page.failed': 'Something went wrong',

  'field.code-empty': 'Enter the digits of your code.',

  'plain.sent':
    'If {email} has an account, a message with a code is on its way. You can also open the link in it.',
  'plain.sent-confirm':
    'We’ve sent a message with a code to {email}. Enter it to confirm your address, or open the link in it.',
  'plain.mfa': 'Open your authenticator app and enter the code it shows for {name}.',
  'plain.as': 'Signed in as {who}.',
  'plain.as-guest': 'You’re using a guest account.',
  'plain.continue': 'Continue to {host}',
  'plain.continue-hint': 'You’ll be taken there in a moment. If nothing happens, follow the link.',
  'plain.account': 'Your account',
  'plain.sign-out': 'Sign out',
  'plain.refused':
    'It may have been open for too long, or didn’t come from this site. Nothing was changed. Open the page again and send it once more.',
  'plain.failed': 'That’s our fault, not yours. Try again in a moment.',
} as const;
