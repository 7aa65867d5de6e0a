/** Interface text of the security page for changes that await confirmation. */
export const messages = {
  'pending.resend': 'Resend',
  'pending.resent': 'We’ve sent a new confirmation.',
  'pending.cancel': 'Cancel change',
  'pending.codes': 'Confirm with a code',
  'pending.code': 'Code sent to {to}',
  'pending.code-accepted': '{to} is confirmed.',
  'pending.confirm': 'Confirm',
  'pending.canceled': 'Change canceled.',
  'phone.title': 'Phone number',
  'phone.add': 'Add phone number',
  'phone.change': 'Change',
  'phone.change-what': 'Change your phone number',
  'phone.new': 'New phone number',
  'phone.none': 'No phone number',
  'phone.pending': 'We’ve texted a code to {phone}. Enter it to confirm the number.',
  'phone.changed': 'Your phone number is now {phone}.',
} as const;
