/** Arabic translations of `en/plain.ts`. */
export const messages = {
  'page.signed-in': 'أنت مسجّل الدخول',
  'page.refused': 'لا يمكن إرسال هذا النموذج',
  'page.failed': 'حدث خطأ',

  'field.code-empty': 'أدخل أرقام الرمز.',

  'plain.sent': 'إذا كان للعنوان {email} حساب، فستصله رسالة فيها رمز. يمكنك أيضًا فتح الرابط الذي فيها.',
  'plain.sent-confirm': 'أرسلنا إلى {email} رسالة فيها رمز. أدخله لتأكيد عنوانك، أو افتح الرابط الذي فيها.',
  'plain.mfa': 'افتح تطبيق المصادقة وأدخل الرمز الذي يعرضه لـ {name}.',
  'plain.as': 'أنت مسجّل الدخول باسم {who}.',
  'plain.as-guest': 'أنت تستخدم حساب ضيف.',
  'plain.continue': 'المتابعة إلى {host}',
  'plain.continue-hint': 'ستنتقل إليه بعد لحظة. إذا لم يحدث شيء، فاتبع الرابط.',
  'plain.account': 'حسابك',
  'plain.sign-out': 'تسجيل الخروج',
  'plain.refused':
    'ربما بقي مفتوحًا وقتًا طويلًا، أو لم يأتِ من هذا الموقع. لم يتغير شيء. افتح الصفحة من جديد وأرسله مرة أخرى.',
  'plain.failed': 'الخطأ منا لا منك. أعد المحاولة بعد قليل.',
} as const;
