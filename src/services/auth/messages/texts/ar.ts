/** The default emails in Arabic. */
import type { MailTexts, MailWords, TemplateName } from './mails.ts';

export const words: MailWords = {
  when: 'الوقت',
  device: 'الجهاز',
  network: 'الشبكة',
  deviceName: (browser, system) => `${browser} على ${system}`,
  help: 'المساعدة',
  textMessage: (code, name) => `${code} هو رمزك في ${name}. لا تشاركه مع أي شخص.`,
};

const ignore = 'إذا لم تطلب ذلك، فيمكنك تجاهل هذه الرسالة. لا تشارك الرمز مع أي شخص.';
const expiry = 'تنتهي صلاحية الرمز والرابط خلال {{ .ValidFor }}.';
const alarm =
  'لم تكن أنت؟ استخدم هذا الرابط للتراجع عن التغيير وتسجيل الخروج من جميع الأجهزة واختيار كلمة مرور جديدة. إذا كنت أنت، فتجاهل هذه الرسالة.';
/**
 * Isolates a number from the surrounding text. Otherwise, the plus sign would be displayed at the end of the number
 * (UAX 9).
 */
const ltr = (text: string) => `\u2066${text}\u2069`;
const phone = ltr('+{{ .Phone }}');
const oldPhone = ltr('+{{ .OldPhone }}');
const undo = { label: 'لم أكن أنا', url: 'RevertURL' } as const;

const factor =
  '{{ if eq .FactorType "totp" }}تطبيق مصادقة{{ else if eq .FactorType "phone" }}رقم هاتف' +
  '{{ else if eq .FactorType "webauthn" }}مفتاح أمان{{ else }}{{ .FactorType }}{{ end }}';

const provider =
  '{{ if eq .Provider "email" }}رمز بالبريد{{ else if eq .Provider "phone" }}رقم هاتفك' +
  '{{ else if eq .Provider "web3" }}محفظة{{ else }}{{ .ProviderName }}{{ end }}';

export const mails: Readonly<Record<TemplateName, MailTexts>> = {
  confirmation: {
    subject: '{{ .Token }} هو رمز التأكيد في {{ .Brand.name }}',
    title: 'أكّد عنوان بريدك الإلكتروني',
    intro: `أدخل هذا الرمز، أو استخدم الزر، لتأكيد {{ .Email }} وإكمال إنشاء حسابك في {{ .Brand.name }}. ${expiry}`,
    button: 'تأكيد البريد الإلكتروني',
    showsCode: true,
    closing: ignore,
  },
  invite: {
    subject: 'تمت دعوتك إلى {{ .Brand.name }}',
    title: 'الانضمام إلى {{ .Brand.name }}',
    intro:
      'تمت دعوتك لإنشاء حساب في {{ .Brand.name }} باستخدام {{ .Email }}. تنتهي صلاحية الرابط خلال {{ .ValidFor }}.',
    button: 'قبول الدعوة',
    closing: 'إذا لم تكن تتوقع هذه الدعوة، فيمكنك تجاهل هذه الرسالة.',
  },
  organization_invitation: {
    subject:
      'دعوة للانضمام إلى {{ if .Organization }}{{ .Organization }}{{ else }}مؤسسة{{ end }} في {{ .Brand.name }}',
    title: 'الانضمام إلى {{ if .Organization }}{{ .Organization }}{{ else }}مؤسسة{{ end }}',
    intro:
      '{{ if .Inviter }}دعا {{ .Inviter }} صاحب العنوان {{ .Email }}{{ else }}تمت دعوة {{ .Email }}{{ end }} للانضمام إلى {{ if .Organization }}{{ .Organization }}{{ else }}مؤسسة{{ end }} في {{ .Brand.name }}. الدعوة صالحة حتى {{ .Due }}.',
    button: 'عرض الدعوة',
    closing: 'إذا كنت لا تعرف المرسل، فيمكنك تجاهل هذه الرسالة. لن تنضم إلى أي مؤسسة قبل أن تقبل الدعوة.',
  },
  recovery: {
    subject: '{{ .Token }} هو رمز إعادة تعيين كلمة المرور في {{ .Brand.name }}',
    title: 'إعادة تعيين كلمة المرور',
    intro: `استخدم الزر لاختيار كلمة مرور جديدة للحساب {{ .Email }}، أو أدخل هذا الرمز في الصفحة التي تطلبه. ${expiry}`,
    button: 'إعادة تعيين كلمة المرور',
    showsCode: true,
    closing: `${ignore} لم تتغير كلمة مرورك.`,
  },
  magic_link: {
    subject: '{{ .Token }} هو رمز تسجيل الدخول إلى {{ .Brand.name }}',
    title: '{{ if .IsNewDevice }}أكّد هويتك{{ else }}تسجيل الدخول إلى {{ .Brand.name }}{{ end }}',
    intro: `{{ if .IsNewDevice }}أُدخلت كلمة مرورك للحساب {{ .Email }} على جهاز لم تستخدمه من قبل{{ if .Device }} ({{ .Device }}){{ end }}. إذا كنت أنت، فأدخل هذا الرمز، أو استخدم الزر، لتسجيل الدخول.{{ else }}أدخل هذا الرمز، أو استخدم الزر، لتسجيل الدخول باسم {{ .Email }}.{{ end }} ${expiry}`,
    button: 'تسجيل الدخول',
    showsCode: true,
    closing: `{{ if .IsNewDevice }}لم تكن أنت؟ هناك من يعرف كلمة مرورك. لا تشارك الرمز، واختر كلمة مرور جديدة.{{ else }}${ignore}{{ end }}`,
    undo: { label: 'اختيار كلمة مرور جديدة', url: 'SecureURL' },
  },
  existing_account: {
    subject: '{{ .Token }} هو رمز تسجيل الدخول إلى {{ .Brand.name }}. لديك حساب بالفعل',
    title: 'لديك حساب بالفعل',
    intro: `حاولت إنشاء حساب في {{ .Brand.name }} باستخدام {{ .Email }}، لكن لديك حسابًا بالفعل. أدخل هذا الرمز، أو استخدم الزر، لتسجيل الدخول. ${expiry}`,
    button: 'تسجيل الدخول',
    showsCode: true,
    closing: 'إذا لم تحاول إنشاء حساب، فيمكنك تجاهل هذه الرسالة. لم يتغير حسابك ولا كلمة مرورك.',
  },
  no_account: {
    subject: 'ليس لديك حساب في {{ .Brand.name }} بعد',
    title: 'ليس لديك حساب بعد',
    intro:
      'حاولت تسجيل الدخول إلى {{ .Brand.name }} باستخدام {{ .Email }}، لكن لا يوجد حساب بهذا العنوان. {{ if .CanSignUp }}أنشئ حسابًا باستخدام الزر، أو سجّل الدخول بعنوان آخر ربما استخدمته.{{ else }}سجّل الدخول بعنوان آخر ربما استخدمته.{{ end }}',
    button: '{{ if .CanSignUp }}إنشاء حساب{{ else }}استخدام عنوان آخر{{ end }}',
    closing: 'إذا لم تحاول تسجيل الدخول، فيمكنك تجاهل هذه الرسالة. لم يُنشأ أي حساب.',
  },
  email_change: {
    subject:
      '{{ if .Email }}{{ .Token }} هو رمز تأكيد بريدك الجديد في {{ .Brand.name }}{{ else }}{{ .Token }} هو رمز التأكيد في {{ .Brand.name }}{{ end }}',
    title: '{{ if .Email }}أكّد عنوان بريدك الإلكتروني الجديد{{ else }}أكّد عنوان بريدك الإلكتروني{{ end }}',
    intro: `{{ if .Email }}أدخل هذا الرمز، أو استخدم الزر، لتغيير عنوان حسابك في {{ .Brand.name }} من {{ .Email }} إلى {{ .NewEmail }}.{{ else }}أدخل هذا الرمز، أو استخدم الزر، لإضافة {{ .NewEmail }} إلى حسابك في {{ .Brand.name }} وحفظ الحساب.{{ end }} ${expiry}`,
    button: 'تأكيد عنوان البريد الإلكتروني',
    showsCode: true,
    closing: ignore,
  },
  email_change_current: {
    subject: 'سيتغير عنوان بريدك الإلكتروني في {{ .Brand.name }}',
    title: 'عنوان بريدك الإلكتروني على وشك التغيير',
    intro: `سيتغير عنوان حسابك في {{ .Brand.name }} من {{ .Email }} إلى {{ .NewEmail }}. إذا طلبت ذلك، فأدخل الرمز أو استخدم الزر. ${expiry}`,
    button: 'تأكيد عنوان البريد الإلكتروني',
    showsCode: true,
    closing: 'لم تكن أنت؟ ألغِ التغيير الآن، ثم اختر كلمة مرور جديدة. لا تشارك الرمز مع أي شخص.',
    undo: { label: 'إلغاء التغيير', url: 'CancelURL' },
  },
  reauthentication: {
    subject: '{{ .Token }} هو رمز التحقق في {{ .Brand.name }}',
    title: 'أكّد أنك أنت',
    intro:
      'أدخل هذا الرمز لتأكيد تغيير في حسابك {{ .Email }} في {{ .Brand.name }}. تنتهي صلاحية الرمز خلال {{ .ValidFor }}.',
    showsCode: true,
    closing:
      'لا تشارك هذا الرمز مع أي شخص. إذا لم تطلبه، فقد سجّل شخص آخر الدخول إلى حسابك، لذا اختر كلمة مرور جديدة.',
    undo: { label: 'اختيار كلمة مرور جديدة', url: 'SecureURL' },
  },
  password_changed_notification: {
    subject:
      '{{ if .IsFirstPassword }}عُيّنت كلمة مرور لحسابك في {{ .Brand.name }}{{ else }}تم تغيير كلمة مرورك في {{ .Brand.name }}{{ end }}',
    title: '{{ if .IsFirstPassword }}عُيّنت كلمة مرور{{ else }}تم تغيير كلمة مرورك{{ end }}',
    intro:
      '{{ if .IsFirstPassword }}يمكنك الآن تسجيل الدخول إلى حسابك {{ .Email }} في {{ .Brand.name }} بكلمة مرور.{{ else }}تم تغيير كلمة مرور حسابك {{ .Email }} في {{ .Brand.name }}.{{ end }}',
    closing: alarm,
    undo,
    isNotice: true,
  },
  email_changed_notification: {
    subject: 'تم تغيير عنوان بريدك الإلكتروني في {{ .Brand.name }}',
    title: 'تم تغيير عنوان بريدك الإلكتروني',
    intro: 'تم تغيير عنوان حسابك في {{ .Brand.name }} من {{ .OldEmail }} إلى {{ .Email }}.',
    closing: alarm,
    undo,
    isNotice: true,
  },
  phone_changed_notification: {
    subject: 'تم تغيير رقم هاتفك في {{ .Brand.name }}',
    title: 'تم تغيير رقم هاتفك',
    intro: `تم تغيير رقم هاتف حسابك {{ .Email }} من ${oldPhone} إلى ${phone}.`,
    closing: alarm,
    undo,
    isNotice: true,
  },
  identity_linked_notification: {
    subject: 'أُضيفت طريقة تسجيل دخول إلى حسابك في {{ .Brand.name }}',
    title: 'أُضيفت طريقة تسجيل دخول',
    intro: `يمكنك الآن تسجيل الدخول إلى حسابك {{ .Email }} عبر ${provider}.`,
    closing: alarm,
    undo,
    isNotice: true,
  },
  identity_unlinked_notification: {
    subject: 'أُزيلت طريقة تسجيل دخول من حسابك في {{ .Brand.name }}',
    title: 'أُزيلت طريقة تسجيل دخول',
    intro: `لم يعد بالإمكان تسجيل الدخول إلى حسابك {{ .Email }} عبر ${provider}.`,
    closing: alarm,
    undo,
    isNotice: true,
  },
  mfa_factor_enrolled_notification: {
    subject: 'أُضيفت طريقة تحقق إلى حسابك في {{ .Brand.name }}',
    title: 'أُضيفت طريقة تحقق',
    intro: `أُضيفت إلى حسابك {{ .Email }} طريقة تحقق: ${factor}.`,
    closing: alarm,
    undo,
    isNotice: true,
  },
  mfa_factor_unenrolled_notification: {
    subject: 'أُزيلت طريقة تحقق من حسابك في {{ .Brand.name }}',
    title: 'أُزيلت طريقة تحقق',
    intro: `أُزيلت من حسابك {{ .Email }} طريقة تحقق: ${factor}.`,
    closing: alarm,
    undo,
    isNotice: true,
  },
  passkey_added_notification: {
    subject: 'أُضيف مفتاح مرور إلى حسابك في {{ .Brand.name }}',
    title: 'أُضيف مفتاح مرور',
    intro: 'يمكنك الآن تسجيل الدخول إلى حسابك {{ .Email }} بمفتاح مرور اسمه {{ .Passkey }}.',
    closing: alarm,
    undo,
    isNotice: true,
  },
  new_device_notification: {
    subject: 'تسجيل دخول جديد إلى حسابك في {{ .Brand.name }}',
    title: 'تسجيل دخول جديد إلى حسابك',
    intro: 'سُجّل الدخول إلى حسابك {{ .Email }} من جهاز لم تستخدمه من قبل.',
    closing:
      'لم تكن أنت؟ استخدم هذا الرابط لتسجيل الخروج من جميع الأجهزة واختيار كلمة مرور جديدة. إذا كنت أنت، فتجاهل هذه الرسالة.',
    undo,
    isNotice: true,
  },
  app_connected_notification: {
    subject: 'رُبط تطبيق بحسابك في {{ .Brand.name }}',
    title: 'رُبط تطبيق بحسابك',
    intro: 'يمكن للتطبيق {{ .App }} الآن الوصول إلى حسابك {{ .Email }}.',
    closing: alarm,
    undo,
    isNotice: true,
  },
  sign_in_locked_notification: {
    subject: 'محاولات فاشلة كثيرة لتسجيل الدخول إلى حسابك في {{ .Brand.name }}',
    title: 'تسجيل الدخول متوقف مؤقتًا',
    intro:
      'أدخل شخص ما كلمة مرور أو رمزًا خاطئًا لحسابك {{ .Email }} مرات كثيرة. لم يتمكّن أحد من الدخول بهذه المحاولات. لحماية حسابك، على المتصفحات الجديدة الانتظار قبل المحاولة مرة أخرى.',
    closing:
      'هل كنت أنت؟ استخدم هذا الرابط لتسجيل الدخول فورًا. إذا لم تكن أنت، فكلمة مرورك ما زالت آمنة ما لم تستخدمها في موقع آخر أيضًا، وعندها اختر كلمة جديدة. المتصفحات التي سجّلت الدخول فيها ما زالت تعمل.',
    undo: { label: 'إلغاء إيقاف تسجيل الدخول', url: 'UnlockURL' },
    isNotice: true,
  },
  account_secured_notification: {
    subject: 'أصبح حسابك في {{ .Brand.name }} محميًا',
    title: 'أصبح حسابك محميًا',
    intro:
      'أبلغت أن تغييرًا في حسابك {{ .Email }} لم يكن منك. تم التراجع عن التغيير وتسجيل خروج جميع الأجهزة، ولم تعد كلمة المرور القديمة تعمل.',
    closing: 'احصل على رمز عبر البريد واختر كلمة مرور جديدة. لم تعد بحاجة إلى الروابط في التنبيهات السابقة.',
    undo: { label: 'اختيار كلمة مرور جديدة', url: 'SecureURL' },
    isNotice: true,
  },
  recovery_code_used_notification: {
    subject: 'استُخدم رمز استرداد لحسابك في {{ .Brand.name }}',
    title: 'استُخدم رمز استرداد',
    intro: 'استُخدم رمز استرداد بدلًا من خطوتك الثانية لتسجيل الدخول إلى حسابك {{ .Email }}.',
    closing:
      'لم تكن أنت؟ استخدم هذا الرابط لتسجيل خروج جميع الأجهزة واختيار كلمة مرور جديدة. إذا كنت أنت، فأعدّ خطوة ثانية جديدة وأزل المفقودة.',
    undo,
    isNotice: true,
  },
  factor_removal_requested_notification: {
    subject: 'أكّد إزالة التحقق بخطوتين من حسابك في {{ .Brand.name }}',
    title: 'هل تريد إزالة التحقق بخطوتين؟',
    intro:
      'سجّل شخص الدخول إلى حسابك {{ .Email }} وطلب إزالة التحقق بخطوتين لأن الخطوة الثانية مفقودة. إذا كنت أنت، فأكّد الطلب خلال ساعة.',
    button: 'مراجعة الطلب',
    closing:
      'لم تكن أنت؟ لا تؤكّد الطلب، واستخدم هذا الرابط لتسجيل خروج جميع الأجهزة واختيار كلمة مرور جديدة.',
    undo: { label: 'اختيار كلمة مرور جديدة', url: 'SecureURL' },
    isNotice: true,
  },
  factor_removal_confirmed_notification: {
    subject: 'ستتم إزالة التحقق بخطوتين من حسابك في {{ .Brand.name }}',
    title: 'ستتم إزالة التحقق بخطوتين',
    intro:
      'ستتم إزالة التحقق بخطوتين من حسابك {{ .Email }} في {{ .Due }}. إذا وجدت خطوتك الثانية قبل ذلك، فسجّل الدخول بها، وسيُلغى الطلب.',
    closing:
      'لم تكن أنت؟ استخدم هذا الرابط لإلغاء الإزالة وتسجيل خروج جميع الأجهزة واختيار كلمة مرور جديدة. شخص ما يعرف كلمة مرورك الحالية.',
    undo,
    isNotice: true,
  },
  factors_reset_notification: {
    subject: 'أُزيل التحقق بخطوتين من حسابك في {{ .Brand.name }}',
    title: 'أُزيل التحقق بخطوتين',
    intro:
      'أُزيل التحقق بخطوتين من حسابك {{ .Email }}، وسُجّل خروج جميع الأجهزة. يمكنك الآن تسجيل الدخول دون خطوة ثانية. أعدّ خطوة جديدة بعد تسجيل الدخول.',
    closing: 'لم تكن أنت؟ استخدم هذا الرابط لتسجيل خروج جميع الأجهزة واختيار كلمة مرور جديدة.',
    undo,
    isNotice: true,
  },
  account_deleted_notification: {
    subject: 'حُذف حسابك في {{ .Brand.name }}',
    title: 'حُذف حسابك',
    intro: 'حُذف حسابك {{ .Email }} وبياناته نهائيًا. لم يعد بإمكانك تسجيل الدخول إليه.',
    closing:
      'لم تكن أنت؟ تواصل مع {{ .Brand.name }}، وغيّر كلمة مرور بريدك الإلكتروني، فقد يكون لدى شخص آخر وصول إليه.',
    isNotice: true,
  },
};
