/** Lists the full text of every email, with a separate entry for each situation that changes the text. */
import type { TemplateName } from '../../../src/services/auth/messages/texts/mails.ts';
import * as send from './senders.ts';
import type { Language } from './stage.ts';

/** The text of an email. The words in braces are placeholders for the email's values. */
export interface Reading {
  readonly subject: string;
  readonly title: string;
  readonly intro: string;
  readonly button?: string;
  readonly closing: string;
  readonly undo?: string;
}

export interface Email extends Readonly<Record<Language, Reading>> {
  readonly name: TemplateName;
  /** The situation in which the email has this text, if the text is different in other situations. */
  readonly when?: string;
  readonly send: send.Sender;
  readonly hasCode?: boolean;
  /** The client that made the change, if the email contains the time and the device. */
  readonly by?: 'browser' | 'server';
  /**
   * The Account pages to which the email links: the page that the button opens, and the page for recipients who didn't
   * make the change.
   */
  readonly leadsTo?: string;
  readonly undoAt?: string;
}

const ignore = {
  en: "If you didn't request this, you can ignore this email. Never share the code.",
  ar: 'إذا لم تطلب ذلك، فيمكنك تجاهل هذه الرسالة. لا تشارك الرمز مع أي شخص.',
} as const;
const alarm = {
  en: {
    closing:
      "If this wasn't you, use this link to undo the change, sign out all devices and choose a new password. If it was you, ignore this email.",
    undo: "This wasn't me",
  },
  ar: {
    closing:
      'لم تكن أنت؟ استخدم هذا الرابط للتراجع عن التغيير وتسجيل الخروج من جميع الأجهزة واختيار كلمة مرور جديدة. إذا كنت أنت، فتجاهل هذه الرسالة.',
    undo: 'لم أكن أنا',
  },
} as const;
const newPassword = { en: 'Choose a new password', ar: 'اختيار كلمة مرور جديدة' } as const;
const expiry = {
  en: 'The code and the link expire in 1 hour.',
  ar: 'تنتهي صلاحية الرمز والرابط خلال ساعة.',
} as const;

/** The texts of a notice about a change that the recipient can undo. */
type NoticeText = Pick<Reading, 'subject' | 'title' | 'intro'>;
const notice = (
  name: TemplateName,
  sender: send.Sender,
  en: NoticeText,
  ar: NoticeText,
  when?: string,
): Email => ({
  name,
  ...(when === undefined ? {} : { when }),
  send: sender,
  by: 'browser',
  undoAt: 'not-me',
  en: { ...en, ...alarm.en },
  ar: { ...ar, ...alarm.ar },
});

const withCode = { hasCode: true, leadsTo: 'confirm' } as const;

export const emails: readonly Email[] = [
  {
    name: 'confirmation',
    send: send.signUp,
    ...withCode,
    en: {
      subject: '{code} is your Harbor confirmation code',
      title: 'Confirm your email address',
      intro: `Enter this code, or use the button, to confirm {email} and finish signing up to Harbor. ${expiry.en}`,
      button: 'Confirm email address',
      closing: ignore.en,
    },
    ar: {
      subject: '{code} هو رمز التأكيد في Harbor',
      title: 'أكّد عنوان بريدك الإلكتروني',
      intro: `أدخل هذا الرمز، أو استخدم الزر، لتأكيد {email} وإكمال إنشاء حسابك في Harbor. ${expiry.ar}`,
      button: 'تأكيد البريد الإلكتروني',
      closing: ignore.ar,
    },
  },
  {
    name: 'invite',
    send: send.invite,
    leadsTo: 'confirm',
    en: {
      subject: "You've been invited to Harbor",
      title: 'Join Harbor',
      intro: "You've been invited to create an account at Harbor for {email}. The link expires in 7 days.",
      button: 'Accept invitation',
      closing: "If you didn't expect this invitation, you can ignore this email.",
    },
    ar: {
      subject: 'تمت دعوتك إلى Harbor',
      title: 'الانضمام إلى Harbor',
      intro: 'تمت دعوتك لإنشاء حساب في Harbor باستخدام {email}. تنتهي صلاحية الرابط خلال 7 أيام.',
      button: 'قبول الدعوة',
      closing: 'إذا لم تكن تتوقع هذه الدعوة، فيمكنك تجاهل هذه الرسالة.',
    },
  },
  {
    name: 'organization_invitation',
    send: send.inviteToOrganization,
    leadsTo: 'organizations/join',
    en: {
      subject: "You've been invited to join Analytical Engines on Harbor",
      title: 'Join Analytical Engines',
      intro:
        '{inviter} has invited {email} to join Analytical Engines on Harbor. The invitation is valid until {due} UTC.',
      button: 'View invitation',
      closing:
        "If you don't know the sender, you can ignore this email. You don't join anything until you accept the invitation.",
    },
    ar: {
      subject: 'دعوة للانضمام إلى Analytical Engines في Harbor',
      title: 'الانضمام إلى Analytical Engines',
      intro:
        'دعا {inviter} صاحب العنوان {email} للانضمام إلى Analytical Engines في Harbor. الدعوة صالحة حتى {due} UTC.',
      button: 'عرض الدعوة',
      closing: 'إذا كنت لا تعرف المرسل، فيمكنك تجاهل هذه الرسالة. لن تنضم إلى أي مؤسسة قبل أن تقبل الدعوة.',
    },
  },
  {
    name: 'recovery',
    send: send.recover,
    ...withCode,
    en: {
      subject: '{code} is your Harbor password reset code',
      title: 'Reset your password',
      intro: `Enter this code, or use the button, to choose a new password for {email}. ${expiry.en}`,
      button: 'Reset password',
      closing: `${ignore.en} Your password hasn't changed.`,
    },
    ar: {
      subject: '{code} هو رمز إعادة تعيين كلمة المرور في Harbor',
      title: 'إعادة تعيين كلمة المرور',
      intro: `استخدم الزر لاختيار كلمة مرور جديدة للحساب {email}، أو أدخل هذا الرمز في الصفحة التي تطلبه. ${expiry.ar}`,
      button: 'إعادة تعيين كلمة المرور',
      closing: `${ignore.ar} لم تتغير كلمة مرورك.`,
    },
  },
  {
    name: 'magic_link',
    send: send.requestCode,
    ...withCode,
    en: {
      subject: '{code} is your Harbor sign-in code',
      title: 'Sign in to Harbor',
      intro: `Enter this code, or use the button, to sign in as {email}. ${expiry.en}`,
      button: 'Sign in',
      closing: ignore.en,
    },
    ar: {
      subject: '{code} هو رمز تسجيل الدخول إلى Harbor',
      title: 'تسجيل الدخول إلى Harbor',
      intro: `أدخل هذا الرمز، أو استخدم الزر، لتسجيل الدخول باسم {email}. ${expiry.ar}`,
      button: 'تسجيل الدخول',
      closing: ignore.ar,
    },
  },
  {
    name: 'existing_account',
    send: send.signUpAgain,
    ...withCode,
    en: {
      subject: '{code} is your Harbor sign-in code. You already have an account',
      title: 'You already have an account',
      intro: `You tried to sign up to Harbor with {email}, but you already have an account. Enter this code, or use the button, to sign in. ${expiry.en}`,
      button: 'Sign in',
      closing:
        "If you didn't try to sign up, you can ignore this email. Your account and your password haven't changed.",
    },
    ar: {
      subject: '{code} هو رمز تسجيل الدخول إلى Harbor. لديك حساب بالفعل',
      title: 'لديك حساب بالفعل',
      intro: `حاولت إنشاء حساب في Harbor باستخدام {email}، لكن لديك حسابًا بالفعل. أدخل هذا الرمز، أو استخدم الزر، لتسجيل الدخول. ${expiry.ar}`,
      button: 'تسجيل الدخول',
      closing: 'إذا لم تحاول إنشاء حساب، فيمكنك تجاهل هذه الرسالة. لم يتغير حسابك ولا كلمة مرورك.',
    },
  },
  {
    name: 'no_account',
    send: send.recoverUnknown,
    leadsTo: 'sign-up',
    en: {
      subject: "You don't have a Harbor account yet",
      title: "You don't have an account yet",
      intro:
        'You tried to sign in to Harbor with {email}, but no account has this address. Create an account, or sign in with another address that you may have used.',
      button: 'Create account',
      closing: "If you didn't try to sign in, you can ignore this email. No account was created.",
    },
    ar: {
      subject: 'ليس لديك حساب في Harbor بعد',
      title: 'ليس لديك حساب بعد',
      intro:
        'حاولت تسجيل الدخول إلى Harbor باستخدام {email}، لكن لا يوجد حساب بهذا العنوان. أنشئ حسابًا باستخدام الزر، أو سجّل الدخول بعنوان آخر ربما استخدمته.',
      button: 'إنشاء حساب',
      closing: 'إذا لم تحاول تسجيل الدخول، فيمكنك تجاهل هذه الرسالة. لم يُنشأ أي حساب.',
    },
  },
  {
    name: 'email_change',
    send: send.changeEmailAtNew,
    ...withCode,
    en: {
      subject: '{code} is your Harbor code for your new email address',
      title: 'Confirm your new email address',
      intro: `Enter this code, or use the button, to change the email address of your Harbor account from {email} to {next}. ${expiry.en}`,
      button: 'Confirm email address',
      closing: ignore.en,
    },
    ar: {
      subject: '{code} هو رمز تأكيد بريدك الجديد في Harbor',
      title: 'أكّد عنوان بريدك الإلكتروني الجديد',
      intro: `أدخل هذا الرمز، أو استخدم الزر، لتغيير عنوان حسابك في Harbor من {email} إلى {next}. ${expiry.ar}`,
      button: 'تأكيد عنوان البريد الإلكتروني',
      closing: ignore.ar,
    },
  },
  {
    name: 'email_change',
    when: 'a guest saves the account',
    send: send.saveGuest,
    ...withCode,
    en: {
      subject: '{code} is your Harbor confirmation code',
      title: 'Confirm your email address',
      intro: `Enter this code, or use the button, to add {email} to your Harbor account and save the account. ${expiry.en}`,
      button: 'Confirm email address',
      closing: ignore.en,
    },
    ar: {
      subject: '{code} هو رمز التأكيد في Harbor',
      title: 'أكّد عنوان بريدك الإلكتروني',
      intro: `أدخل هذا الرمز، أو استخدم الزر، لإضافة {email} إلى حسابك في Harbor وحفظ الحساب. ${expiry.ar}`,
      button: 'تأكيد عنوان البريد الإلكتروني',
      closing: ignore.ar,
    },
  },
  {
    name: 'email_change_current',
    send: send.changeEmailAtOld,
    ...withCode,
    undoAt: 'cancel-change',
    en: {
      subject: 'Your Harbor email address is about to change',
      title: 'Your email address is about to change',
      intro: `The email address of your Harbor account is about to change from {email} to {next}. If you requested this, enter the code or use the button. ${expiry.en}`,
      button: 'Confirm email address',
      closing: "If this wasn't you, cancel the change now, then choose a new password. Never share the code.",
      undo: 'Cancel the change',
    },
    ar: {
      subject: 'سيتغير عنوان بريدك الإلكتروني في Harbor',
      title: 'عنوان بريدك الإلكتروني على وشك التغيير',
      intro: `سيتغير عنوان حسابك في Harbor من {email} إلى {next}. إذا طلبت ذلك، فأدخل الرمز أو استخدم الزر. ${expiry.ar}`,
      button: 'تأكيد عنوان البريد الإلكتروني',
      closing: 'لم تكن أنت؟ ألغِ التغيير الآن، ثم اختر كلمة مرور جديدة. لا تشارك الرمز مع أي شخص.',
      undo: 'إلغاء التغيير',
    },
  },
  {
    name: 'reauthentication',
    send: send.reauthenticate,
    hasCode: true,
    undoAt: 'recover',
    en: {
      subject: '{code} is your Harbor verification code',
      title: "Confirm that it's you",
      intro:
        'Enter this code to confirm a change to your Harbor account {email}. The code expires in 1 hour.',
      closing:
        "Never share this code. If you didn't request it, someone else is signed in to your account, so choose a new password.",
      undo: newPassword.en,
    },
    ar: {
      subject: '{code} هو رمز التحقق في Harbor',
      title: 'أكّد أنك أنت',
      intro: 'أدخل هذا الرمز لتأكيد تغيير في حسابك {email} في Harbor. تنتهي صلاحية الرمز خلال ساعة.',
      closing:
        'لا تشارك هذا الرمز مع أي شخص. إذا لم تطلبه، فقد سجّل شخص آخر الدخول إلى حسابك، لذا اختر كلمة مرور جديدة.',
      undo: newPassword.ar,
    },
  },
  notice(
    'password_changed_notification',
    send.changePassword,
    {
      subject: 'Your Harbor password was changed',
      title: 'Your password was changed',
      intro: 'The password of your Harbor account {email} was changed.',
    },
    {
      subject: 'تم تغيير كلمة مرورك في Harbor',
      title: 'تم تغيير كلمة مرورك',
      intro: 'تم تغيير كلمة مرور حسابك {email} في Harbor.',
    },
  ),
  notice(
    'password_changed_notification',
    send.setFirstPassword,
    {
      subject: 'A password was set for your Harbor account',
      title: 'A password was set',
      intro: 'You can now sign in to your Harbor account {email} with a password.',
    },
    {
      subject: 'عُيّنت كلمة مرور لحسابك في Harbor',
      title: 'عُيّنت كلمة مرور',
      intro: 'يمكنك الآن تسجيل الدخول إلى حسابك {email} في Harbor بكلمة مرور.',
    },
    'it is the first password',
  ),
  notice(
    'email_changed_notification',
    send.completeEmailChange,
    {
      subject: 'Your Harbor email address was changed',
      title: 'Your email address was changed',
      intro: 'The email address of your Harbor account was changed from {email} to {next}.',
    },
    {
      subject: 'تم تغيير عنوان بريدك الإلكتروني في Harbor',
      title: 'تم تغيير عنوان بريدك الإلكتروني',
      intro: 'تم تغيير عنوان حسابك في Harbor من {email} إلى {next}.',
    },
  ),
  notice(
    'phone_changed_notification',
    send.replacePhone,
    {
      subject: 'Your Harbor phone number was changed',
      title: 'Your phone number was changed',
      intro: 'The phone number of your account {email} was changed from +{oldPhone} to +{phone}.',
    },
    {
      subject: 'تم تغيير رقم هاتفك في Harbor',
      title: 'تم تغيير رقم هاتفك',
      intro: 'تم تغيير رقم هاتف حسابك {email} من \u2066+{oldPhone}\u2069 إلى \u2066+{phone}\u2069.',
    },
  ),
  ...(
    [
      ['a service', send.linkIdentity, 'GitHub', 'GitHub'],
      ['a phone number', send.linkPhone, 'your phone number', 'رقم هاتفك'],
    ] as const
  ).map(([when, sender, en, ar]) =>
    notice(
      'identity_linked_notification',
      sender,
      {
        subject: 'A sign-in method was added to your Harbor account',
        title: 'A sign-in method was added',
        intro: `You can now sign in to your account {email} with ${en}.`,
      },
      {
        subject: 'أُضيفت طريقة تسجيل دخول إلى حسابك في Harbor',
        title: 'أُضيفت طريقة تسجيل دخول',
        intro: `يمكنك الآن تسجيل الدخول إلى حسابك {email} عبر ${ar}.`,
      },
      `it is ${when}`,
    ),
  ),
  notice(
    'identity_unlinked_notification',
    send.unlinkIdentity,
    {
      subject: 'A sign-in method was removed from your Harbor account',
      title: 'A sign-in method was removed',
      intro: 'You can no longer sign in to your account {email} with GitHub.',
    },
    {
      subject: 'أُزيلت طريقة تسجيل دخول من حسابك في Harbor',
      title: 'أُزيلت طريقة تسجيل دخول',
      intro: 'لم يعد بالإمكان تسجيل الدخول إلى حسابك {email} عبر GitHub.',
    },
  ),
  ...(
    [
      ['an authenticator app', send.addApp, 'An authenticator app', 'تطبيق مصادقة'],
      ['a phone number', send.addPhoneFactor, 'A phone number', 'رقم هاتف'],
    ] as const
  ).map(([when, sender, en, ar]) =>
    notice(
      'mfa_factor_enrolled_notification',
      sender,
      {
        subject: 'A verification method was added to your Harbor account',
        title: 'A verification method was added',
        intro: `${en} can now be used as the second step when you sign in to your account {email}.`,
      },
      {
        subject: 'أُضيفت طريقة تحقق إلى حسابك في Harbor',
        title: 'أُضيفت طريقة تحقق',
        intro: `أُضيفت إلى حسابك {email} طريقة تحقق: ${ar}.`,
      },
      `it is ${when}`,
    ),
  ),
  notice(
    'mfa_factor_unenrolled_notification',
    send.removeApp,
    {
      subject: 'A verification method was removed from your Harbor account',
      title: 'A verification method was removed',
      intro:
        'An authenticator app can no longer be used as the second step when you sign in to your account {email}.',
    },
    {
      subject: 'أُزيلت طريقة تحقق من حسابك في Harbor',
      title: 'أُزيلت طريقة تحقق',
      intro: 'أُزيلت من حسابك {email} طريقة تحقق: تطبيق مصادقة.',
    },
  ),
  notice(
    'passkey_added_notification',
    send.addPasskey,
    {
      subject: 'A passkey was added to your Harbor account',
      title: 'A passkey was added',
      intro: 'You can now sign in to your account {email} with a passkey. Its name is Chrome on Windows.',
    },
    {
      subject: 'أُضيف مفتاح مرور إلى حسابك في Harbor',
      title: 'أُضيف مفتاح مرور',
      intro: 'يمكنك الآن تسجيل الدخول إلى حسابك {email} بمفتاح مرور اسمه Chrome على Windows.',
    },
  ),
  {
    name: 'new_device_notification',
    send: send.signInOnNewDevice,
    by: 'browser',
    undoAt: 'not-me',
    en: {
      subject: 'New sign-in to your Harbor account',
      title: 'New sign-in to your account',
      intro: "Your account {email} was used to sign in on a device that you haven't used before.",
      closing:
        "If this wasn't you, use this link to sign out all devices and choose a new password. If it was you, ignore this email.",
      undo: alarm.en.undo,
    },
    ar: {
      subject: 'تسجيل دخول جديد إلى حسابك في Harbor',
      title: 'تسجيل دخول جديد إلى حسابك',
      intro: 'سُجّل الدخول إلى حسابك {email} من جهاز لم تستخدمه من قبل.',
      closing:
        'لم تكن أنت؟ استخدم هذا الرابط لتسجيل الخروج من جميع الأجهزة واختيار كلمة مرور جديدة. إذا كنت أنت، فتجاهل هذه الرسالة.',
      undo: alarm.ar.undo,
    },
  },
  notice(
    'app_connected_notification',
    send.connectApp,
    {
      subject: 'An app was connected to your Harbor account',
      title: 'An app was connected',
      intro: 'Night Reader can now access your account {email}.',
    },
    {
      subject: 'رُبط تطبيق بحسابك في Harbor',
      title: 'رُبط تطبيق بحسابك',
      intro: 'يمكن للتطبيق Night Reader الآن الوصول إلى حسابك {email}.',
    },
  ),
  notice(
    'api_key_created_notification',
    send.createApiKey,
    {
      subject: 'An API key was created for your Harbor account',
      title: 'An API key was created',
      intro:
        'Programs can now access the data of your account {email} with a new API key. Its name is Night\ufffd<b>import</b>.',
    },
    {
      subject: 'أُنشئ مفتاح API لحسابك في Harbor',
      title: 'أُنشئ مفتاح API',
      intro:
        'يمكن للبرامج الآن الوصول إلى بيانات حسابك {email} بمفتاح API جديد اسمه Night\ufffd<b>import</b>.',
    },
  ),
  {
    name: 'sign_in_locked_notification',
    send: send.failToSignIn,
    by: 'browser',
    undoAt: 'unlock',
    en: {
      subject: 'Too many failed sign-ins to your Harbor account',
      title: 'Sign-ins are paused',
      intro:
        'Someone entered a wrong password or code for your account {email} too many times. None of these attempts succeeded. To protect your account, sign-ins from new browsers are paused for now.',
      closing:
        "If this was you, use this link to sign in again immediately. If it wasn't you, your password is still safe. If you also use it elsewhere, choose a new one. You stay signed in on your current devices.",
      undo: 'Unlock sign-in',
    },
    ar: {
      subject: 'محاولات فاشلة كثيرة لتسجيل الدخول إلى حسابك في Harbor',
      title: 'تسجيل الدخول متوقف مؤقتًا',
      intro:
        'أدخل شخص ما كلمة مرور أو رمزًا خاطئًا لحسابك {email} مرات كثيرة. لم يتمكّن أحد من الدخول بهذه المحاولات. لحماية حسابك، على المتصفحات الجديدة الانتظار قبل المحاولة مرة أخرى.',
      closing:
        'هل كنت أنت؟ استخدم هذا الرابط لتسجيل الدخول فورًا. إذا لم تكن أنت، فكلمة مرورك ما زالت آمنة ما لم تستخدمها في موقع آخر أيضًا، وعندها اختر كلمة جديدة. المتصفحات التي سجّلت الدخول فيها ما زالت تعمل.',
      undo: 'إلغاء إيقاف تسجيل الدخول',
    },
  },
  {
    name: 'account_secured_notification',
    send: send.reportChange,
    by: 'browser',
    undoAt: 'recover',
    en: {
      subject: 'Your Harbor account is secured',
      title: 'Your account is secured',
      intro:
        "You reported that a change to your account {email} wasn't yours. The change was undone, all devices were signed out, and the old password no longer works.",
      closing:
        "Get a code by email and choose a new password. You don't need the links in earlier notices anymore.",
      undo: newPassword.en,
    },
    ar: {
      subject: 'أصبح حسابك في Harbor محميًا',
      title: 'أصبح حسابك محميًا',
      intro:
        'أبلغت أن تغييرًا في حسابك {email} لم يكن منك. تم التراجع عن التغيير وتسجيل خروج جميع الأجهزة، ولم تعد كلمة المرور القديمة تعمل.',
      closing:
        'احصل على رمز عبر البريد واختر كلمة مرور جديدة. لم تعد بحاجة إلى الروابط في التنبيهات السابقة.',
      undo: newPassword.ar,
    },
  },
  {
    name: 'recovery_code_used_notification',
    send: send.useRecoveryCode,
    by: 'browser',
    undoAt: 'not-me',
    en: {
      subject: 'A recovery code was used for your Harbor account',
      title: 'A recovery code was used',
      intro: 'A recovery code was used instead of your second step to sign in to your account {email}.',
      closing:
        "If this wasn't you, use this link to sign out all devices and choose a new password. If it was you, set up a new second step and remove the lost one.",
      undo: alarm.en.undo,
    },
    ar: {
      subject: 'استُخدم رمز استرداد لحسابك في Harbor',
      title: 'استُخدم رمز استرداد',
      intro: 'استُخدم رمز استرداد بدلًا من خطوتك الثانية لتسجيل الدخول إلى حسابك {email}.',
      closing:
        'لم تكن أنت؟ استخدم هذا الرابط لتسجيل خروج جميع الأجهزة واختيار كلمة مرور جديدة. إذا كنت أنت، فأعدّ خطوة ثانية جديدة وأزل المفقودة.',
      undo: alarm.ar.undo,
    },
  },
  {
    name: 'factor_removal_requested_notification',
    send: send.requestRemoval,
    by: 'browser',
    leadsTo: 'remove-factors',
    undoAt: 'recover',
    en: {
      subject: 'Confirm the removal of two-step verification from your Harbor account',
      title: 'Remove two‑step verification?',
      intro:
        'Someone signed in to your account {email} and requested removal of two-step verification because the second step was lost. If it was you, confirm the request within an hour.',
      button: 'Review request',
      closing:
        "If this wasn't you, don't confirm the request, and use this link to sign out all devices and choose a new password.",
      undo: newPassword.en,
    },
    ar: {
      subject: 'أكّد إزالة التحقق بخطوتين من حسابك في Harbor',
      title: 'هل تريد إزالة التحقق بخطوتين؟',
      intro:
        'سجّل شخص الدخول إلى حسابك {email} وطلب إزالة التحقق بخطوتين لأن الخطوة الثانية مفقودة. إذا كنت أنت، فأكّد الطلب خلال ساعة.',
      button: 'مراجعة الطلب',
      closing:
        'لم تكن أنت؟ لا تؤكّد الطلب، واستخدم هذا الرابط لتسجيل خروج جميع الأجهزة واختيار كلمة مرور جديدة.',
      undo: newPassword.ar,
    },
  },
  {
    name: 'factor_removal_confirmed_notification',
    send: send.confirmRemoval,
    by: 'browser',
    undoAt: 'not-me',
    en: {
      subject: 'Two-step verification will be removed from your Harbor account',
      title: 'Two-step verification will be removed',
      intro:
        'Two-step verification will be removed from your account {email} on {time}. If you can use your second step again before then, sign in with it to cancel the removal.',
      closing:
        "If this wasn't you, use this link to cancel the removal, sign out all devices and choose a new password. Someone knows your current password.",
      undo: alarm.en.undo,
    },
    ar: {
      subject: 'ستتم إزالة التحقق بخطوتين من حسابك في Harbor',
      title: 'ستتم إزالة التحقق بخطوتين',
      intro:
        'ستتم إزالة التحقق بخطوتين من حسابك {email} في {time}. إذا وجدت خطوتك الثانية قبل ذلك، فسجّل الدخول بها، وسيُلغى الطلب.',
      closing:
        'لم تكن أنت؟ استخدم هذا الرابط لإلغاء الإزالة وتسجيل خروج جميع الأجهزة واختيار كلمة مرور جديدة. شخص ما يعرف كلمة مرورك الحالية.',
      undo: alarm.ar.undo,
    },
  },
  {
    name: 'factors_reset_notification',
    send: send.awaitRemoval,
    by: 'server',
    undoAt: 'not-me',
    en: {
      subject: 'Two-step verification was removed from your Harbor account',
      title: 'Two-step verification was removed',
      intro:
        'Two-step verification was removed from your account {email}, and all devices were signed out. You can now sign in without a second step. Set up a new one after you sign in.',
      closing: "If this wasn't you, use this link to sign out all devices and choose a new password.",
      undo: alarm.en.undo,
    },
    ar: {
      subject: 'أُزيل التحقق بخطوتين من حسابك في Harbor',
      title: 'أُزيل التحقق بخطوتين',
      intro:
        'أُزيل التحقق بخطوتين من حسابك {email}، وسُجّل خروج جميع الأجهزة. يمكنك الآن تسجيل الدخول دون خطوة ثانية. أعدّ خطوة جديدة بعد تسجيل الدخول.',
      closing: 'لم تكن أنت؟ استخدم هذا الرابط لتسجيل خروج جميع الأجهزة واختيار كلمة مرور جديدة.',
      undo: alarm.ar.undo,
    },
  },
  {
    name: 'account_deleted_notification',
    send: send.deleteAccount,
    by: 'browser',
    en: {
      subject: 'Your Harbor account was deleted',
      title: 'Your account was deleted',
      intro: 'Your account {email} and its data were permanently deleted. You can no longer sign in to it.',
      closing:
        "If this wasn't you, contact Harbor, and change the password of your email account, because someone else may have access to it.",
    },
    ar: {
      subject: 'حُذف حسابك في Harbor',
      title: 'حُذف حسابك',
      intro: 'حُذف حسابك {email} وبياناته نهائيًا. لم يعد بإمكانك تسجيل الدخول إليه.',
      closing:
        'لم تكن أنت؟ تواصل مع Harbor، وغيّر كلمة مرور بريدك الإلكتروني، فقد يكون لدى شخص آخر وصول إليه.',
    },
  },
];
