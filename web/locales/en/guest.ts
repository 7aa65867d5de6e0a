/** Texts of guests: starting as one, keeping the account, bringing along what they have; and who is still signed in. ICU messages. */
export const messages = {
  'guest.intro':
    'No account needed. What you do stays with this browser until you sign out. You can keep it later by adding a way to sign in.',
  'guest.off': 'Guest accounts are switched off here. Sign in or create an account instead.',

  'upgrade.intro':
    'You’re using a guest account. Choose how you’ll sign in from now on. Everything you have here stays.',
  'upgrade.submit': 'Keep my account',
  'upgrade.by-code': 'Email me a code instead',
  'upgrade.none': 'Nothing can be added to a guest account here. Ask whoever runs this service.',
  'upgrade.sent':
    'We’ve sent a message with a code of {length} digits to {email}. Enter it here, or open the link in it. Until then you’re still a guest.',
  'upgrade.if-yours': 'If it’s yours, sign in to your account below.',
  'upgrade.have': 'Already have an account?',
  'upgrade.with-hook':
    'Sign in to it and bring along what you have here. You’ll be asked before anything is moved.',
  'upgrade.without-hook':
    'What you have as a guest can’t be brought along here. It stays with the guest account, and once you’ve signed in elsewhere you can’t get back to it.',
  'upgrade.elsewhere': 'Sign in to my account',
  'upgrade.leave': 'Sign in and leave this behind',
  'upgrade.done': 'Everything is where it was. From now on you sign in with {who}.',
  'upgrade.done-linked': 'Everything is where it was. From now on you can sign in again at any time.',
  'upgrade.member': 'You’re signed in as {who}. This is no guest account, so there’s nothing to do.',
  'upgrade.change': 'Use another address',
  'page.upgrade-done': 'Your account is kept',

  'page.hand-over': 'Bring your things along?',
  'hand-over.text':
    'You’re signed in as {who}. What you did as a guest can move to this account. The guest account is deleted once that has worked.',
  'hand-over.submit': 'Bring it along',
  'hand-over.leave': 'Leave it behind',
  'hand-over.leave-hint': 'If you leave it behind, you can’t get back to it.',
  'hand-over.back': 'Back to the guest account',
  'hand-over.fresh': 'Sign in once more',
  'hand-over.sign-in': 'Sign in to the account that you want to bring your things to.',
  'page.hand-over-done': 'It’s all here',
  'hand-over.done': 'What you did as a guest now belongs to {who}.',

  'still-in.text': 'The app has signed you out. Here you’re still signed in as {who}.',
  'still-in.guest':
    'The app has signed you out. Here you’re still signed in as a guest. After signing out, nobody can get back to the guest account.',
  'still-in.submit': 'Sign out here too',
  'still-in.back': 'Back to {host}',
} as const;
