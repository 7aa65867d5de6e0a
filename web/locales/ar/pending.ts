/** Arabic translations of `en/pending.ts`. */
export const messages = {
  'pending.resend': 'إعادة الإرسال',
  'pending.resent': 'أرسلنا تأكيدًا جديدًا.',
  'pending.cancel': 'إلغاء التغيير',
  'pending.codes': 'التأكيد برمز',
  'pending.code': 'الرمز المرسل إلى {to}',
  'pending.code-accepted': 'تم تأكيد {to}.',
  'pending.confirm': 'تأكيد',
  'pending.canceled': 'أُلغي التغيير. لم يتغيّر شيء.',
  'phone.title': 'رقم الهاتف',
  'phone.add': 'إضافة رقم',
  'phone.change': 'تغيير',
  'phone.change-what': 'تغيير رقم هاتفك',
  'phone.new': 'رقم الهاتف الجديد',
  'phone.none': 'لم تُضف رقمًا بعد.',
  'phone.pending': 'أرسلنا رمزًا إلى {phone}. أدخله لتأكيد الرقم.',
  'phone.changed': 'رقم هاتفك الآن {phone}.',
} as const;
