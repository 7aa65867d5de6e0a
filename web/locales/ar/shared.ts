/** Arabic translations of `en/shared.ts`. */
export const messages = {
  'ui.copy': 'نسخ',
  'ui.copied': 'تم النسخ',
  'ui.copy-what': 'نسخ {what}',
  'ui.show-password': 'إظهار كلمة المرور',
  'ui.hide-password': 'إخفاء كلمة المرور',
  'ui.error-heading': 'هناك ما يحتاج إلى انتباهك',
  'ui.error-code': 'رمز الخطأ',
  'ui.request-id': 'معرّف الطلب',
  'ui.skip': 'الانتقال إلى المحتوى',
  'ui.scheme': 'نظام الألوان',
  'ui.scheme-light': 'فاتح',
  'ui.scheme-dark': 'داكن',
  'ui.scheme-auto': 'حسب النظام',
} as const;
