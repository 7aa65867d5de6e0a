/**
 * Interface text for guests, as ICU messages. It covers creating a guest account, saving it and moving its data. Also
 * contains the text of the page that is shown if an app has signed the user out but the session of the Account pages
 * remains.
 */
export const messages = {
  'guest.intro':
    'You don’t need an account. You can access your data in this browser until you sign out. To keep your data after that, add a way to sign in.',
  'guest.off': 'Guest accounts are turned off. Sign in or create an account instead.',

  'guest.leave-title': 'Sign out of your guest account?',
  'guest.leave-text':
    'You can’t sign in to a guest account again. If you sign out, you’ll lose everything you have here.',
  'guest.leave': 'Sign out and lose my data',
  'guest.leave-cancel': 'Cancel',

  'upgrade.intro':
    'You’re using a guest account. Choose how you’ll sign in. You’ll keep everything you have here.',
  'upgrade.submit': 'Save my account',
  'upgrade.by-code': 'Email me a code instead',
  'upgrade.none': 'Guest accounts can’t be saved here. Contact support.',
  'upgrade.sent':
    'We’ve emailed a {length}‑digit code to {email}. Enter it here or open the link in the email. Until then, you’re still a guest.',
  'upgrade.if-yours': 'If this address is yours, sign in to your account below.',
  'upgrade.taken':
    'Another account here already uses that email address. If it’s yours, sign in to it below.',
  'upgrade.have': 'Already have an account?',
  'upgrade.with-hook': 'Sign in to it and move your guest data there. We’ll ask before we move anything.',
  'upgrade.without-hook':
    'Your guest data can’t be moved to another account. If you sign in to another account, you’ll lose access to your guest data.',
  'upgrade.elsewhere': 'Sign in to my account',
  'upgrade.leave': 'Sign in without your guest data',
  'upgrade.done': 'Your data hasn’t changed. From now on, sign in with {who}.',
  'upgrade.done-linked': 'Your data hasn’t changed. You can now sign in again at any time.',
  'upgrade.member': 'You’re signed in as {who}. This isn’t a guest account, so you don’t need to save it.',
  'upgrade.change': 'Use another address',
  'page.upgrade-member': 'Your account is already saved',
  'page.upgrade-done': 'Account saved',

  'page.hand-over': 'Move your guest data?',
  'hand-over.text':
    'You’re signed in as {who}. If you move your guest data to this account, the guest account will be deleted.',
  'hand-over.submit': 'Move guest data',
  'hand-over.leave': 'Discard guest data',
  'hand-over.leave-hint': 'If you discard your guest data, you won’t be able to access it anymore.',
  'hand-over.back': 'Back to the guest account',
  'hand-over.fresh': 'Sign in again',
  'hand-over.sign-in': 'Sign in to the account you want to move your guest data to.',
  'page.hand-over-done': 'Guest data moved',
  'hand-over.done': 'Your guest data now belongs to {who}.',

  'still-in.text':
    'The app signed you out. In this browser, you’re still signed in to your account as {who}.',
  'still-in.guest':
    'The app signed you out. In this browser, you’re still signed in as a guest. If you sign out here, you’ll lose access to the guest account.',
  'still-in.submit': 'Sign out of your account',
  'still-in.others': 'You’re also signed in as {accounts}.',
  'signed-out.all-accounts': 'Sign out of all accounts',
  'signed-out.kept':
    'The sign-in page in this browser still lists {accounts}. On a shared computer, remove your address here.',
  'signed-out.forget': 'Remove from this browser',
  'signed-out.forgotten': 'Removed from this browser.',
  'signed-out.choose': 'Choose an account',
  'still-in.back': 'Back to {host}',
} as const;
