/** Texts of changes that wait for their confirmation, on the security page. */
export const messages = {
  'pending.resend': 'Send it again',
  'pending.resent': 'It’s on its way again.',
  'pending.cancel': 'Cancel change',
  'pending.cancelled': 'The change is cancelled. Nothing is different.',
  'phone.title': 'Phone number',
  'phone.add': 'Add a number',
  'phone.change': 'Change',
  'phone.change-what': 'Change your phone number',
  'phone.new': 'New phone number',
  'phone.none': 'You haven’t added a number.',
  'phone.pending': 'We’ve sent a code to {phone}. Enter it to confirm the number.',
  'phone.confirm': 'Confirm number',
  'phone.changed': 'Your phone number is now {phone}.',
} as const;
