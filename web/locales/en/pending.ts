/** Interface text of the security page for changes that await confirmation. */
export const messages = {
  'pending.resend': 'Resend',
  'pending.resent': 'We’ve sent a new confirmation.',
  'pending.cancel': 'Cancel change',
  'pending.canceled': 'Change canceled.',
  'phone.title': 'Phone number',
  'phone.add': 'Add phone number',
  'phone.change': 'Change',
  'phone.change-what': 'Change your phone number',
  'phone.new': 'New phone number',
  'phone.none': 'No phone number',
  'phone.pending': 'We’ve texted a code to {phone}. Enter it to confirm the number.',
  'phone.confirm': 'Confirm number',
  'phone.changed': 'Your phone number is now {phone}.',
} as const;
