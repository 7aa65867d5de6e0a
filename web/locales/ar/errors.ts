/** Arabic translations of `en/errors.ts`. */
export const messages = {
  // general
  'error.network': 'يتعذّر الوصول إلى الخادم. تحقق من اتصالك وأعد المحاولة.',
  'error.key-canceled':
    'لم يُستخدم مفتاح مرور أو مفتاح أمان. ربما ألغيت العملية، أو ليس على هذا الجهاز مفتاح لهذا الموقع.',
  'error.key-known': 'على هذا الجهاز مفتاح لحسابك بالفعل. استخدم ذلك المفتاح.',
  'error.other': 'حدث خطأ من جانبنا. أعد المحاولة بعد قليل.',
  'error.unknown': 'حدث خطأ من جانبنا. أعد المحاولة بعد قليل.',
  'error.unexpected_failure': 'حدث خطأ من جانبنا. أعد المحاولة بعد قليل.',
  'error.validation_failed': 'هناك خطأ في النموذج. تحقق مما كتبته.',
  'error.bad_json': 'لم يصل الطلب كاملًا. أعد المحاولة.',
  'error.conflict': 'غيّر أمرٌ آخر هذا في اللحظة نفسها. أعد المحاولة.',
  'error.request_timeout': 'استغرق الرد وقتًا طويلًا. أعد المحاولة.',
  'error.request_entity_too_large': 'ما أدخلته أطول من اللازم. اختصره وأعد المحاولة.',
  'error.feature_disabled': 'هذه الميزة غير متاحة هنا. اختر خيارًا آخر.',

  // token, user
  'error.bad_jwt': 'انتهت جلستك. سجّل الدخول مجددًا.',
  'error.not_admin': 'لا يُسمح بهذا إلا للقائمين على الخدمة. اطلب من أحدهم.',
  'error.no_authorization': 'لم تسجّل الدخول. سجّل الدخول أولًا.',
  'error.not_signed_in': 'لم تسجّل الدخول. سجّل الدخول أولًا.',
  'error.user_not_found': 'انتهت جلستك. سجّل الدخول مجددًا.',
  'error.user_banned': 'هذا الحساب محظور. تواصل مع القائمين على الخدمة.',
  'error.session_not_kept':
    'لم يحتفظ هذا المتصفح بتسجيل دخولك. اسمح بملفات تعريف الارتباط لهذا الموقع ثم سجّل الدخول مجددًا.',
  'error.session_not_found': 'تم تسجيل خروجك، هنا أو على جهاز آخر. سجّل الدخول مجددًا.',
  'error.session_expired': 'انتهت جلستك. سجّل الدخول مجددًا.',
  'error.refresh_token_not_found': 'انتهت جلستك. سجّل الدخول مجددًا.',
  'error.refresh_token_already_used': 'انتهت جلستك. سجّل الدخول مجددًا.',
  'error.unexpected_audience': 'جلستك ليست لهذه الخدمة. سجّل الدخول مجددًا.',
  'error.invalid_credentials':
    'كلمة المرور غير صحيحة، أو ليست لهذا الحساب كلمة مرور. أعد المحاولة، أو احصل على رمز عبر البريد إذا كنت تسجّل الدخول عادة بطريقة أخرى.',
  'error.insufficient_aal': 'يتطلب هذا خطوة ثانية. أكّدها بتطبيق المصادقة أولًا.',

  // sign-up, email, phone
  'error.signup_disabled': 'لا يمكن إنشاء حسابات جديدة حاليًا. إذا كان لديك حساب، فسجّل الدخول.',
  'error.user_already_exists': 'لا يمكن استخدام هذا العنوان لحساب جديد. إذا كان لك، فسجّل الدخول.',
  'error.email_exists': 'لا يمكن استخدام هذا العنوان. اختر عنوانًا آخر.',
  'error.phone_exists': 'لا يمكن استخدام هذا الرقم. اختر رقمًا آخر.',
  'error.email_provider_disabled': 'تسجيل الدخول بالبريد متوقف. اختر طريقة أخرى.',
  'error.phone_provider_disabled': 'تسجيل الدخول بالهاتف متوقف. اختر طريقة أخرى.',
  'error.anonymous_provider_disabled': 'حسابات الضيوف متوقفة. سجّل الدخول أو أنشئ حسابًا.',
  'error.device_not_confirmed': 'لم تستخدم هذا الجهاز من قبل. سجّل الدخول بالرمز الذي أرسلناه إلى بريدك.',
  'error.email_not_confirmed': 'لم يُؤكَّد هذا العنوان بعد. افتح الرسالة التي أرسلناها، أو اطلب رمزًا جديدًا.',
  'error.phone_not_confirmed': 'لم يُؤكَّد رقم الهاتف هذا بعد. اطلب رمزًا جديدًا.',
  'error.email_address_not_authorized': 'لا يمكن إرسال رسائل إلى هذا العنوان بعد. استخدم عنوانًا آخر.',
  'error.email_address_invalid': 'لا يمكن إرسال رسائل إلى هذا العنوان. تحقق من كتابته.',
  'error.email_address_not_provided':
    'لم يصل عنوان بريد إلكتروني. اسمح به هناك، أو اختر طريقة أخرى لتسجيل الدخول.',
  'error.invite_not_found': 'لم تعد هذه الدعوة صالحة. اطلب دعوة جديدة.',
  'error.otp_expired': 'هذا الرمز خاطئ أو لم يعد صالحًا. تحقق منه أو اطلب رمزًا جديدًا.',
  'error.otp_disabled': 'لا يمكن إرسال رمز هنا. إذا لم يكن لديك حساب بعد، فأنشئ واحدًا أولًا.',
  'error.sms_send_failed': 'تعذّر إرسال الرسالة النصية. تحقق من الرقم وأعد المحاولة بعد قليل.',

  // password
  'error.weak_password': 'كلمة المرور هذه سهلة التخمين. اتبع الشروط أدناه.',
  'error.weak_password-leaked': 'ظهرت كلمة المرور هذه في تسريب بيانات. اختر كلمة مرور أخرى.',
  'error.same_password': 'هذه كلمة مرورك الحالية. اختر كلمة أخرى.',
  'error.reauthentication_needed': 'مضى وقت على تسجيل دخولك. أكّد هويتك بالرمز الذي أرسلناه بالبريد.',
  'error.reauthentication_not_valid': 'هذا الرمز خاطئ أو لم يعد صالحًا. اطلب رمزًا جديدًا.',
  'error.current_password_invalid': 'كلمة المرور الحالية غير صحيحة. تحقق منها وأعد المحاولة.',
  'error.current_password_required': 'كلمة المرور الحالية ناقصة. أدخلها أيضًا.',

  // limits
  'error.overloaded': 'يتلقى الخادم طلبات كثيرة جدًا. أعد المحاولة بعد لحظات.',
  'error.over_request_rate_limit':
    'محاولات كثيرة، وربما لم تكن منك. انتظر قبل أن تعيد المحاولة، أو استخدم طريقة أخرى لتسجيل الدخول مثل رمز عبر البريد.',
  'error.over_email_send_rate_limit': 'أُرسلت رسالة للتو. انتظر قليلًا قبل أن تطلب أخرى.',
  'error.over_sms_send_rate_limit': 'أُرسلت رسالة للتو. انتظر قليلًا قبل أن تطلب أخرى.',
  'error.captcha_failed': 'لم نتمكن من التأكد من أنك إنسان. أعد تحميل الصفحة وحاول مجددًا.',

  // OAuth, PKCE
  'error.flow_state_not_found': 'لم تعد عملية الدخول هذه صالحة. ابدأ من جديد من التطبيق.',
  'error.flow_state_expired': 'استغرقت عملية الدخول وقتًا طويلًا. ابدأ من جديد من التطبيق.',
  'error.flow_state_already_used': 'استُخدمت عملية الدخول هذه من قبل. ابدأ من جديد من التطبيق.',
  'error.oauth_client_state_not_found': 'لم تعد عملية الدخول هذه صالحة. ابدأ من جديد.',
  'error.oauth_client_state_expired': 'استغرقت عملية الدخول وقتًا طويلًا. ابدأ من جديد.',
  'error.oauth_invalid_state': 'بدأت عملية الدخول هذه في مكان آخر. ابدأ من جديد في هذا المتصفح.',
  'error.bad_oauth_state': 'بدأت عملية الدخول هذه في مكان آخر. ابدأ من جديد في هذا المتصفح.',
  'error.bad_oauth_callback': 'لم يكن رد الخدمة الأخرى كاملًا. ابدأ من جديد، أو اختر طريقة أخرى.',
  'error.bad_code_verifier': 'بدأت عملية الدخول هذه في مكان آخر. ابدأ من جديد من التطبيق.',
  'error.oauth_provider_not_supported': 'طريقة الدخول هذه غير معروفة هنا. اختر طريقة أخرى.',
  'error.provider_disabled': 'طريقة الدخول هذه متوقفة. اختر طريقة أخرى.',
  'error.provider_email_needs_verification':
    'لم تؤكد الخدمة الأخرى عنوان بريدك. افتح الرسالة التي أرسلناها إليك.',
  'error.web3_provider_disabled': 'تسجيل الدخول بالمحفظة متوقف. اختر طريقة أخرى.',
  'error.web3_unsupported_chain': 'لا يمكن استخدام محافظ هذه الشبكة هنا. اختر محفظة أخرى.',
  'error.custom_provider_not_found': 'لم تعد طريقة الدخول هذه موجودة. اختر طريقة أخرى.',
  'error.over_custom_provider_quota': 'لا يمكن إضافة مزيد من طرق الدخول. أزل واحدة أولًا.',

  // identities
  'error.identity_not_found': 'لم تعد طريقة الدخول هذه مرتبطة. أعد تحميل الصفحة.',
  'error.identity_already_exists': 'هذا الحساب مرتبط بالفعل. سجّل الدخول به لمعرفة المستخدم الذي ينتمي إليه.',
  'error.single_identity_not_deletable': 'هذه طريقتك الوحيدة للدخول، فلا يمكن إزالتها. أضف طريقة أخرى أولًا.',
  'error.email_conflict_identity_not_deletable':
    'لا يمكن فك هذا الربط ما دام عنوان بريده مستخدمًا. غيّر عنوان بريدك أولًا.',
  'error.manual_linking_disabled': 'لا يمكن ربط طرق الدخول هنا. تابع بما لديك منها.',

  // SSO
  'error.user_sso_managed': 'مؤسستك تدير هذا الحساب. غيّره هناك.',
  'error.sso_failed': 'لم ينجح تسجيل الدخول لدى مؤسستك. حاول مرة أخرى، أو تواصل مع مسؤول مؤسستك.',
  'error.sso_required': 'تشترط مؤسستك الدخول الموحّد لهذا البريد الإلكتروني. سجّل الدخول عبر الدخول الموحّد.',
  'error.sso_provider_not_found': 'لا يوجد دخول موحّد لهذا النطاق. تحقق منه، أو اختر طريقة أخرى.',
  'error.sso_provider_disabled': 'الدخول الموحّد لمؤسستك متوقف. اسأل مسؤولها.',
  'error.sso_domain_already_exists': 'لهذا النطاق دخول موحّد من قبل. اختر نطاقًا آخر.',
  'error.saml_provider_disabled': 'الدخول الموحّد متوقف. اختر طريقة أخرى.',
  'error.saml_relay_state_not_found': 'لم تعد عملية الدخول هذه صالحة. ابدأ من جديد.',
  'error.saml_relay_state_expired': 'استغرقت عملية الدخول وقتًا طويلًا. ابدأ من جديد.',
  'error.saml_idp_not_found': 'مؤسستك غير مرتبطة هنا. اسأل مسؤولها.',
  'error.saml_idp_already_exists': 'هذه المؤسسة مرتبطة من قبل. عدّل الربط الموجود.',
  'error.saml_assertion_no_user_id': 'لم تذكر مؤسستك من أنت. اسأل مسؤولها.',
  'error.saml_assertion_no_email': 'لم ترسل مؤسستك عنوان بريدك. اسأل مسؤولها.',
  'error.saml_metadata_fetch_failed': 'يتعذّر الوصول إلى الدخول الموحّد لمؤسستك. أعد المحاولة لاحقًا.',
  'error.saml_entity_id_mismatch': 'الدخول الموحّد لمؤسستك ليس المرتبط هنا. اسأل مسؤولها.',

  // MFA
  'error.too_many_enrolled_mfa_factors': 'بلغت الحد الأقصى للخطوات الثانية. أزل واحدة أولًا.',
  'error.mfa_factor_name_conflict': 'لديك مصادِق بهذا الاسم. اختر اسمًا آخر.',
  'error.mfa_factor_not_found': 'لم يعد هذا المصادِق موجودًا. أعد تحميل الصفحة.',
  'error.mfa_ip_address_mismatch': 'تغيّرت شبكتك في الأثناء. أدخل الرمز الذي يعرضه تطبيقك الآن.',
  'error.mfa_challenge_expired': 'استغرق ذلك وقتًا طويلًا. أدخل الرمز الذي يعرضه تطبيقك الآن.',
  'error.mfa_verification_failed': 'هذا الرمز غير صحيح. أدخل الرمز الذي يعرضه تطبيقك الآن.',
  'error.mfa_verification_rejected': 'رُفض الرمز. سجّل الدخول مجددًا.',
  'error.mfa_verified_factor_exists': 'هذا معدّ من قبل. أزل الموجود لإعداد آخر.',
  'error.mfa_phone_enroll_not_enabled': 'لا يمكن إضافة الهواتف كخطوة ثانية هنا. اختر خطوة ثانية أخرى.',
  'error.mfa_phone_verify_not_enabled': 'لا يمكن استخدام الهواتف كخطوة ثانية هنا. اختر خطوة ثانية أخرى.',
  'error.mfa_totp_enroll_not_enabled': 'لا يمكن إضافة تطبيقات المصادقة هنا. اختر خطوة ثانية أخرى.',
  'error.mfa_totp_verify_not_enabled': 'لا يمكن استخدام تطبيقات المصادقة هنا. اختر خطوة ثانية أخرى.',
  'error.mfa_webauthn_enroll_not_enabled': 'لا يمكن إضافة مفاتيح الأمان هنا. اختر خطوة ثانية أخرى.',
  'error.mfa_webauthn_verify_not_enabled': 'لا يمكن استخدام مفاتيح الأمان هنا. اختر خطوة ثانية أخرى.',

  // passkeys
  'error.passkey_disabled': 'مفاتيح المرور متوقفة. اختر طريقة أخرى لتسجيل الدخول.',
  'error.too_many_passkeys': 'بلغت الحد الأقصى لمفاتيح المرور. أزل واحدًا أولًا.',
  'error.webauthn_credential_not_found': 'لا يمكن استخدام مفتاح المرور هذا هنا. اختر طريقة أخرى.',
  'error.webauthn_credential_exists': 'لهذا الجهاز مفتاح مرور هنا من قبل. استخدم الموجود.',
  'error.webauthn_challenge_not_found': 'استُخدم هذا الطلب من قبل. أعد المحاولة.',
  'error.webauthn_challenge_expired': 'استغرق ذلك وقتًا طويلًا. أعد المحاولة.',
  'error.webauthn_verification_failed': 'تعذّر التحقق من مفتاح المرور. أعد المحاولة، أو اختر طريقة أخرى.',

  // OAuth server
  'error.oauth_client_not_found': 'لم يعد هذا التطبيق معروفًا هنا. ارجع إليه وأخبر القائمين عليه.',
  'error.oauth_authorization_not_found':
    'انتهت صلاحية هذا الطلب، أو هو لحساب آخر. ارجع إلى التطبيق وابدأ من جديد.',
  'error.oauth_consent_not_found': 'لم يعد لهذا التطبيق وصول. أعد تحميل الصفحة.',
  'error.oauth_dynamic_client_registration_disabled':
    'لا يمكن للتطبيقات أن تسجّل نفسها هنا. أخبر القائمين على الخدمة.',

  // hooks
  'error.hook_timeout': 'استغرق أحد الفحوص وقتًا طويلًا. أعد المحاولة.',
  'error.hook_timeout_after_retry': 'استغرق أحد الفحوص وقتًا طويلًا. أعد المحاولة.',
  'error.hook_payload_over_size_limit': 'تعذّر إجراء أحد الفحوص. أخبر القائمين على الخدمة.',
  'error.hook_payload_invalid_content_type': 'تعذّر إجراء أحد الفحوص. أخبر القائمين على الخدمة.',

  // /account/api
  'error.access_denied':
    'أُلغي تسجيل الدخول لدى الجهة الأخرى. حاول مرة أخرى أو اختر طريقة أخرى لتسجيل الدخول.',
  'error.factor_required': 'تطلب هذه الخدمة التحقق بخطوتين. أعدّه أدناه ثم عد إلى التطبيق.',
  'error.redirect_not_allowed':
    'أنت مسجّل الدخول، لكن عنوان التطبيق غير مسموح به هنا. أخبر القائمين على التطبيق.',
  'error.pkce_required': 'طلب هذا التطبيق لتسجيل الدخول غير كامل. تواصل مع دعم التطبيق.',
  'error.bad_code_challenge': 'طلب هذا التطبيق لتسجيل الدخول غير كامل. تواصل مع دعم التطبيق.',
  'error.not_same_origin': 'لم يأتِ الطلب من هذه الصفحة. أعد تحميلها وحاول مجددًا.',
  'error.wallet-refused': 'لم توقّع المحفظة. أعد المحاولة، أو اختر طريقة أخرى لتسجيل الدخول.',
  'error.wallet_refused': 'لم يُقبل توقيع المحفظة. أعد المحاولة، أو اختر طريقة أخرى لتسجيل الدخول.',
  'error.not_a_guest': 'لا يتعلق هذا بحساب ضيف. أعد تحميل الصفحة.',
  'error.hand_over_off': 'لا يمكن هنا نقل ما لدى الضيف. سجّل الدخول دونه، أو استخدم عنوانًا آخر.',
  'error.hand_over_failed': 'تعذّر النقل، ولم يتغير شيء. أعد المحاولة، أو عُد إلى حساب الضيف.',
  'error.guest_gone': 'لم يعد حساب الضيف موجودًا. تابع بحسابك.',
  'error.sign_in_stale': 'مضى وقت على تسجيل دخولك. سجّل الدخول مرة أخرى لتتمكن من النقل.',
  'error.consent_answered': 'لقد رددت على هذا الطلب من قبل. ارجع إلى التطبيق.',

  // the session module
  'error.jwks_empty': 'يتعذّر على الخادم التحقق من جلستك حاليًا. أعد المحاولة لاحقًا.',
  'error.no_matching_key': 'تغيّرت مفاتيح التوقيع في الخادم. أعد تحميل الصفحة.',
  'error.bad_signature': 'تعذّر الوثوق بجلستك. سجّل الدخول مجددًا.',
  'error.expired': 'انتهت جلستك. إذا سجّلت الدخول للتو، فتحقق من ساعة هذا الجهاز.',
  'error.missing_exp': 'تعذّر الوثوق بجلستك. سجّل الدخول مجددًا.',
  'error.bad_algorithm': 'تعذّر الوثوق بجلستك. سجّل الدخول مجددًا.',
  'error.url_and_key_required': 'لم يكتمل إعداد هذه الصفحة. أخبر القائمين على الخدمة.',
} as const;
