/** Texts of changes that wait for their confirmation, on the security page. */
export const messages = {
  'pending.resend': 'Resend',
  'pending.resent': 'We’ve sent it again.',
  'pending.cancel': 'Cancel change',
  'pending.cancelled': 'Change canceled.',
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
