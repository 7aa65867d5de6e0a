/** Arabic translations of `en/plain.ts`. */
export const messages = {
  'page.signed-in': 'أنت مسجّل الدخول',
  'page.refused': 'لا يمكن إرسال هذا النموذج',
  'page.failed': 'حدث خطأ',

  'page.confirm-invite': 'الانضمام إلى {name}',
  'page.confirm-number': 'أكّد طلبك',
  'page.confirm-canceled': 'تم إلغاء هذا الرابط',
  'page.confirmed': 'تم التأكيد. عد إلى نافذتك الأولى',
  'page.confirm-recovery': 'إعادة تعيين كلمة المرور',
  'page.confirm-magiclink': 'تسجيل الدخول إلى {name}',
  'page.confirm-email_change': 'أكّد تغيير بريدك الإلكتروني',

  'confirm.invite': 'تمت دعوتك إلى {name}. اقبل الدعوة لتختار طريقة تسجيل دخولك.',
  'confirm.invite-button': 'الانضمام إلى {name}',
  'confirm.recovery': 'تابع لاختيار كلمة مرور جديدة. يعمل هذا الرابط مرة واحدة.',
  'confirm.recovery-button': 'متابعة',
  'confirm.magiclink': 'سجّل الدخول بالرابط الذي في الرسالة. يعمل هذا الرابط مرة واحدة.',
  'confirm.magiclink-button': 'تسجيل الدخول',
  'confirm.email_change': 'أكّد أنك تريد تغيير عنوان البريد الإلكتروني لحسابك في {name}.',
  'confirm.email_change-button': 'تأكيد التغيير',

  'confirm.number': 'أدخل الرقم الظاهر في النافذة التي طلبت منها هذه الرسالة.',
  'confirm.number-device': 'أدخل الرقم الظاهر في النافذة التي طلبت منها هذه الرسالة: {browser} على {system}.',
  'confirm.number-button': 'تأكيد',
  'confirm.number-warning':
    'إذا لم تطلب هذه الرسالة، فأغلق هذه الصفحة. لا تُدخل أبدًا رقمًا أرسله إليك شخص آخر.',
  'confirm.canceled':
    'أُدخل رقم خاطئ مرات كثيرة. في نافذتك الأولى، أدخل الرمز الذي في الرسالة أو اطلب رمزًا جديدًا.',
  'confirm.done': 'ستتابع نافذتك الأولى تلقائيًا. يمكنك إغلاق هذه النافذة.',
  'field.number': 'الرقم في النافذة الأخرى',
  'field.number-wrong': 'هذا ليس الرقم الصحيح. تحقق من نافذتك الأولى وحاول مرة أخرى.',

  'page.cancel-change': 'هل تريد إلغاء تغيير البريد؟',
  'page.change-canceled': 'تم إلغاء التغيير',
  'page.email-changed': 'تم تغيير عنوان البريد الإلكتروني',
  'cancel-change.text': 'طلب شخص ما تغيير عنوان البريد الإلكتروني لحسابك. إذا لم تكن أنت، فألغِ التغيير.',
  'cancel-change.button': 'إلغاء التغيير',
  'change-canceled.text':
    'يبقى عنوان بريدك كما هو. إذا لم تطلب التغيير، فاختر كلمة مرور جديدة الآن. سيؤدي ذلك إلى تسجيل خروج جميع الجلسات الأخرى.',
  'change-canceled.password': 'اختيار كلمة مرور جديدة',
  'email-changed.text': 'تم تأكيد العنوان الجديد لحسابك. يمكنك إغلاق هذه النافذة.',

  'field.code-empty': 'أدخل أرقام الرمز.',

  'plain.sent': 'إذا كان للعنوان {email} حساب، فستصله رسالة فيها رمز. يمكنك أيضًا فتح الرابط الذي فيها.',
  'plain.sent-confirm': 'أرسلنا إلى {email} رسالة فيها رمز. أدخله لتأكيد عنوانك، أو افتح الرابط الذي فيها.',
  'page.accounts': 'اختر حسابًا',
  'accounts.continue': 'المتابعة باسم {name}',
  'accounts.guest': 'المتابعة كضيف',
  'accounts.in': 'مسجّل الدخول',
  'accounts.out': 'غير مسجّل الدخول',
  'accounts.sign-out': 'تسجيل الخروج',
  'accounts.forget': 'إزالة من هذا المتصفح',
  'accounts.add': 'استخدام حساب آخر',
  'accounts.sign-out-all': 'تسجيل الخروج من كل الحسابات',
  'plain.sso': 'يُستخدم الدخول الموحّد مع {email}.',
  'plain.sso-button': 'المتابعة بالدخول الموحّد',
  'plain.join': 'اختر كلمة مرور لتسجيل الدخول بها من الآن.',
  'plain.number': 'إذا فتحت الرابط على جهاز آخر، فأدخل هناك الرقم {number}.',
  'plain.check': 'أكّدتُ الرابط على جهاز آخر',
  'plain.unconfirmed': 'لم يُؤكَّد الرابط على جهاز آخر بعد.',
  'page.refused-app': 'لا يمكن لهذا التطبيق تسجيل دخولك',
  'refused.redirect_not_allowed': 'عنوان التطبيق غير مسموح به هنا. تواصل مع دعم التطبيق.',
  'refused.redirect_not_allowed-hint':
    'أضف {url} إلى additional_redirect_urls في القسم [auth] من الملف supabase/config.toml، أو استخدم العنوان المحدد في site_url.',
  'refused.pkce_required': 'طلب تسجيل الدخول من التطبيق ناقص. تواصل مع دعم التطبيق.',
  'refused.pkce_required-hint':
    'أرسل code_challenge و code_challenge_method=s256 مع redirect_to={url}. لإعادة الجلسات في جزء العنوان بعد #، اضبط implicit_return = true في القسم [account] من الملف supabase/plinth.toml.',
  'refused.bad_code_challenge': 'طلب تسجيل الدخول من التطبيق ناقص. تواصل مع دعم التطبيق.',
  'refused.bad_code_challenge-hint':
    'يجب أن يتكون code_challenge من 43 إلى 128 حرفًا من A-Z a-z 0-9 . _ ~ -، وأن يكون code_challenge_method هو s256 أو plain.',
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
