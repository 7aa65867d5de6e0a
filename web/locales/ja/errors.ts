export const messages = {
  // general
  'error.network': 'サーバーに接続できません。接続を確認して、もう一度お試しください。',
  'error.key-canceled':
    'パスキーもセキュリティキーも使用されませんでした。もう一度お試しください。このデバイスにこのサイトのキーがない場合は、別の方法を選択してください。',
  'error.key-not-added':
    'キーは追加されませんでした。もう一度お試しください。このデバイスにこのサイトのキーを保存できない場合は、別のデバイスを使用してください。',
  'error.key-known':
    'このデバイスには、このアカウントのセキュリティキーがすでにあります。そのキーを使用してください。',
  'error.other': 'サーバー側で問題が発生しました。しばらくしてからもう一度お試しください。',
  'error.unknown': 'サーバー側で問題が発生しました。しばらくしてからもう一度お試しください。',
  'error.unexpected_failure': 'サーバー側で問題が発生しました。しばらくしてからもう一度お試しください。',
  'error.validation_failed': '入力内容に無効なものがあります。内容を確認してください。',
  'error.bad_json': 'リクエストが不完全でした。もう一度お試しください。',
  'error.conflict': '同じデータが他の人によって同時に変更されました。もう一度お試しください。',
  'error.request_timeout': 'リクエストがタイムアウトしました。もう一度お試しください。',
  'error.request_entity_too_large': '入力したテキストが長すぎます。短くしてもう一度お試しください。',
  'error.feature_disabled': 'この機能はここでは利用できません。別の方法を選択してください。',

  // token, user
  'error.bad_jwt': 'セッションの期限が切れました。もう一度ログインしてください。',
  'error.not_admin': 'この操作は管理者だけが行えます。管理者に依頼してください。',
  'error.no_authorization': 'ログインしていません。先にログインしてください。',
  'error.not_signed_in': 'ログインしていません。先にログインしてください。',
  'error.user_not_found': 'セッションの期限が切れました。もう一度ログインしてください。',
  'error.user_banned': 'このアカウントは停止されています。サポートにお問い合わせください。',
  'error.session_not_kept':
    'このブラウザでログイン状態を保持できませんでした。このサイトのCookieを許可してから、もう一度ログインしてください。',
  'error.session_not_found':
    'このデバイスまたは別のデバイスでログアウトしました。もう一度ログインしてください。',
  'error.session_expired': 'セッションの期限が切れました。もう一度ログインしてください。',
  'error.refresh_token_not_found': 'セッションの期限が切れました。もう一度ログインしてください。',
  'error.refresh_token_already_used': 'セッションの期限が切れました。もう一度ログインしてください。',
  'error.unexpected_audience': 'このセッションは別のサービスのものです。もう一度ログインしてください。',
  'error.invalid_credentials':
    'パスワードが正しくないか、このアカウントにパスワードが設定されていません。もう一度お試しください。普段は別の方法でログインしている場合は、コードをメールで受け取ってください。',
  'error.insufficient_aal': 'この操作には2段階目の認証が必要です。先に認証アプリで本人確認を行ってください。',

  // sign-up, email, phone
  'error.signup_disabled':
    '現在、新しいアカウントは作成できません。アカウントをお持ちの場合は、ログインしてください。',
  'error.user_already_exists':
    'このアドレスではアカウントを作成できません。ご自身のアドレスの場合は、ログインしてください。',
  'error.email_exists': 'このアドレスは使用できません。別のアドレスを入力してください。',
  'error.phone_exists': 'この番号は使用できません。別の番号を入力してください。',
  'error.email_provider_disabled':
    'メールでのログインは無効になっています。別のログイン方法を選択してください。',
  'error.phone_provider_disabled':
    '電話番号でのログインは無効になっています。別のログイン方法を選択してください。',
  'error.anonymous_provider_disabled':
    'ゲストアカウントは無効になっています。ログインするか、アカウントを作成してください。',
  'error.device_not_confirmed':
    'このデバイスでのログインははじめてです。メールで送信したコードでログインしてください。',
  'error.email_not_confirmed':
    'このアドレスはまだ確認されていません。届いたメールを開くか、新しいコードをリクエストしてください。',
  'error.phone_not_confirmed': 'この電話番号はまだ確認されていません。新しいコードをリクエストしてください。',
  'error.email_address_not_authorized':
    'このアドレスにはまだメールを送信できません。別のアドレスを入力してください。',
  'error.email_address_invalid': 'このアドレスにはメールを送信できません。誤りがないか確認してください。',
  'error.email_address_not_provided':
    '連携先のサービスからメールアドレスが提供されませんでした。提供を許可するか、別のログイン方法を選択してください。',
  'error.invite_not_found': 'この招待は無効か、期限切れです。新しい招待を依頼してください。',
  'error.otp_expired':
    'コードが正しくないか、期限切れです。コードを確認するか、新しいコードをリクエストしてください。5回間違えると、新しいコードしか使用できません。',
  'error.otp_disabled': 'コードを送信できません。アカウントをお持ちでない場合は、先に作成してください。',
  'error.sms_send_failed':
    'SMSを送信できませんでした。番号を確認し、しばらくしてからもう一度お試しください。',

  // password
  'error.weak_password': 'このパスワードは簡単すぎます。下記の条件に従ってください。',
  'error.weak_password-leaked':
    'このパスワードは流出したデータに含まれています。別のパスワードを選択してください。',
  'error.same_password': '現在のパスワードと同じです。別のパスワードを選択してください。',
  'error.reauthentication_needed':
    'ログインしてから時間が経っています。もう一度ログインしてから、再度お試しください。',
  'error.reauthentication_not_valid':
    'コードが正しくないか、期限切れです。新しいコードをリクエストしてください。',
  'error.current_password_invalid': '現在のパスワードが正しくありません。確認して、もう一度お試しください。',
  'error.current_password_required': '現在のパスワードが入力されていません。変更するには入力してください。',

  // limits
  'error.overloaded': 'サーバーが混み合っています。しばらくしてからもう一度お試しください。',
  'error.over_request_rate_limit':
    '試行回数が多すぎます。他の人による試行の可能性もあります。しばらく待ってからもう一度試すか、メールのコードなど別の方法でログインしてください。',
  'error.over_email_send_rate_limit':
    'メールを送信したばかりです。次のメールをリクエストするまで、少しお待ちください。',
  'error.over_sms_send_rate_limit':
    'SMSを送信したばかりです。次のSMSをリクエストするまで、少しお待ちください。',
  'error.captcha_failed':
    '人間による操作であることを確認できませんでした。ページを再読み込みして、もう一度お試しください。',

  // OAuth, PKCE
  'error.flow_state_not_found': 'このログインは期限切れです。アプリからやり直してください。',
  'error.flow_state_expired': 'このログインは期限切れです。アプリからやり直してください。',
  'error.flow_state_already_used': 'このログインリクエストは使用済みです。アプリからやり直してください。',
  'error.oauth_client_state_not_found': 'このログインは期限切れです。最初からやり直してください。',
  'error.oauth_client_state_expired': 'このログインは期限切れです。最初からやり直してください。',
  'error.oauth_invalid_state':
    'このログインは別のブラウザで開始されました。このブラウザでやり直してください。',
  'error.bad_oauth_state': 'このログインは別のブラウザで開始されました。このブラウザでやり直してください。',
  'error.bad_oauth_callback':
    '連携先のサービスからの応答が不完全でした。やり直すか、別のログイン方法を選択してください。',
  'error.bad_code_verifier':
    'このログインは別のアプリまたはブラウザで開始されました。アプリからやり直してください。',
  'error.oauth_provider_not_supported': 'このログイン方法は利用できません。別の方法を選択してください。',
  'error.provider_disabled': 'このログイン方法は無効になっています。別の方法を選択してください。',
  'error.provider_email_needs_verification':
    '連携先のサービスでメールアドレスが確認されていません。確認メールが届いている場合は、開いて確認してください。届いていない場合は、連携先のサービスで確認してから、もう一度お試しください。',
  'error.web3_provider_disabled':
    'ウォレットでのログインは無効になっています。別のログイン方法を選択してください。',
  'error.web3_unsupported_chain':
    'このネットワークのウォレットには対応していません。別のウォレットを選択してください。',
  'error.custom_provider_not_found': 'このログイン方法はなくなりました。別の方法を選択してください。',
  'error.over_custom_provider_quota':
    'カスタムのログイン方法が上限に達しています。追加する前に1つ削除してください。',

  // identities
  'error.identity_not_found':
    'このアカウントの連携はすでに解除されています。ページを再読み込みしてください。',
  'error.identity_already_exists':
    'このアカウントはすでに連携されています。どのユーザーのものか確認するには、このアカウントでログインしてください。',
  'error.single_identity_not_deletable':
    '唯一のログイン方法は削除できません。先に別の方法を追加してください。',
  'error.email_conflict_identity_not_deletable':
    'この連携を解除すると、メールアドレスが他のユーザーと同じものに変わってしまいます。先にメールアドレスを変更するか、もう一方の連携を解除してください。',
  'error.manual_linking_disabled':
    'ここではアカウントを連携できません。すでに連携済みのアカウントでログインしてください。',

  // SSO
  'error.user_sso_managed': 'このアカウントは組織が管理しています。変更は組織の管理者に依頼してください。',
  'error.sso_failed':
    '組織を通じたログインに失敗しました。もう一度試すか、組織の管理者にお問い合わせください。',
  'error.sso_required':
    'このメールアドレスでは、組織によりシングルサインオンが必須となっています。SSOでログインしてください。',
  'error.sso_not_allowed':
    '組織の設定により、このアカウントではサインインできません。組織の管理者に問い合わせてください。',
  'error.sso_provider_not_found':
    'このドメインにはシングルサインオンが設定されていません。ドメインを確認するか、別のログイン方法を選択してください。',
  'error.sso_provider_disabled':
    '組織のシングルサインオンは無効になっています。組織の管理者にお問い合わせください。',
  'error.sso_domain_already_exists':
    'このドメインにはすでにシングルサインオンがあります。別のドメインを選択してください。',
  'error.saml_provider_disabled':
    'シングルサインオンは無効になっています。別のログイン方法を選択してください。',
  'error.saml_relay_state_not_found': 'このログインは期限切れです。最初からやり直してください。',
  'error.saml_relay_state_expired': 'このログインは期限切れです。最初からやり直してください。',
  'error.saml_idp_not_found':
    'お使いの組織はこのサービスに接続されていません。組織の管理者にお問い合わせください。',
  'error.saml_idp_already_exists': 'この組織はすでに接続されています。既存の接続を変更してください。',
  'error.saml_assertion_no_user_id':
    '組織からユーザーIDが送信されませんでした。組織の管理者にお問い合わせください。',
  'error.saml_assertion_no_email':
    '組織からメールアドレスが送信されませんでした。組織の管理者にお問い合わせください。',
  'error.saml_metadata_fetch_failed':
    '組織のシングルサインオンサービスに接続できません。後でもう一度お試しください。',
  'error.saml_entity_id_mismatch':
    '組織に設定されているログインサービスからの応答ではありません。組織の管理者にお問い合わせください。',

  // MFA
  'error.too_many_enrolled_mfa_factors':
    '2段階目の認証が上限に達しています。追加する前に1つ削除してください。',
  'error.mfa_factor_name_conflict': '同じ名前の認証アプリがすでにあります。別の名前を選択してください。',
  'error.mfa_factor_not_found': 'この認証アプリはすでに削除されています。ページを再読み込みしてください。',
  'error.mfa_ip_address_mismatch':
    'ネットワークが変わりました。アプリに今表示されているコードを入力してください。',
  'error.mfa_challenge_expired':
    'リクエストの期限が切れました。アプリに今表示されているコードを入力してください。',
  'error.mfa_verification_failed':
    'コードが正しくありません。アプリに今表示されているコードを入力してください。',
  'error.mfa_verification_rejected': 'コードが拒否されました。もう一度ログインしてください。',
  'error.mfa_verified_factor_exists':
    'この種類の2段階目の認証はすでに設定されています。新しく設定する前に削除してください。',
  'error.mfa_phone_enroll_not_enabled':
    'ここでは電話を2段階目の認証に追加できません。別の方法を選択してください。',
  'error.mfa_phone_verify_not_enabled':
    'ここでは電話を2段階目の認証に使用できません。別の方法を選択してください。',
  'error.mfa_totp_enroll_not_enabled':
    'ここでは認証アプリを追加できません。2段階目の認証に別の方法を選択してください。',
  'error.mfa_totp_verify_not_enabled':
    'ここでは認証アプリを使用できません。2段階目の認証に別の方法を選択してください。',
  'error.mfa_webauthn_enroll_not_enabled':
    'ここではセキュリティキーを追加できません。2段階目の認証に別の方法を選択してください。',
  'error.mfa_webauthn_verify_not_enabled':
    'ここではセキュリティキーを使用できません。2段階目の認証に別の方法を選択してください。',

  // passkeys
  'error.passkey_disabled': 'パスキーは無効になっています。別のログイン方法を選択してください。',
  'error.too_many_passkeys': 'パスキーが上限に達しています。追加する前に1つ削除してください。',
  'error.webauthn_credential_not_found':
    'このパスキーはここでは使用できません。別のログイン方法を選択してください。',
  'error.webauthn_credential_exists':
    'このデバイスには、このアカウントのパスキーがすでにあります。そのパスキーを使用してください。',
  'error.webauthn_challenge_not_found': 'このリクエストは使用済みです。もう一度お試しください。',
  'error.webauthn_challenge_expired': 'リクエストの期限が切れました。もう一度お試しください。',
  'error.webauthn_verification_failed':
    'パスキーを確認できませんでした。もう一度試すか、別の方法を選択してください。',

  // OAuth server
  'error.oauth_client_not_found':
    'このアプリはすでに登録されていません。アプリのサポートにお問い合わせください。',
  'error.oauth_authorization_not_found':
    'このリクエストは期限切れか、別のアカウントのものです。アプリに戻ってやり直してください。',
  'error.oauth_consent_not_found':
    'このアプリにはすでにアクセス権がありません。ページを再読み込みしてください。',
  'error.oauth_dynamic_client_registration_disabled':
    'アプリ自身による登録はできません。サポートにお問い合わせください。',

  // hooks
  'error.hook_timeout': '必要なチェックに時間がかかりすぎました。もう一度お試しください。',
  'error.hook_timeout_after_retry': '必要なチェックに時間がかかりすぎました。もう一度お試しください。',
  'error.hook_payload_over_size_limit':
    '必要なチェックを完了できませんでした。サポートにお問い合わせください。',
  'error.hook_payload_invalid_content_type':
    '必要なチェックを完了できませんでした。サポートにお問い合わせください。',

  // /account/api
  'error.factor_required':
    'このサービスでは2段階認証が必要です。設定するには、JavaScriptを有効にしたブラウザでアカウントを開いてください。',
  'error.access_denied':
    '連携先のサービスでログインがキャンセルされました。もう一度試すか、別のログイン方法を選択してください。',
  'error.redirect_not_allowed':
    'ログインしましたが、アプリのアドレスが許可されていません。アプリのサポートにお問い合わせください。',
  'error.pkce_required': 'アプリのログインリクエストが不完全です。アプリのサポートにお問い合わせください。',
  'error.bad_code_challenge':
    'アプリのログインリクエストが不完全です。アプリのサポートにお問い合わせください。',
  'error.not_same_origin':
    'このページからのリクエストではありません。ページを再読み込みして、もう一度お試しください。',
  'error.wallet-refused':
    'ウォレットがリクエストに署名しませんでした。もう一度試すか、別のログイン方法を選択してください。',
  'error.wallet_refused':
    'ウォレットの署名が受け付けられませんでした。もう一度試すか、別のログイン方法を選択してください。',
  'error.not_a_guest': 'ゲストアカウントを使用していません。ページを再読み込みしてください。',
  'error.hand_over_off':
    'ゲストのデータをこのアカウントに移行できません。データを移行せずにログインするか、別のアドレスを使用してください。',
  'error.hand_over_failed':
    'ゲストのデータを移行できませんでした。変更は行われていません。もう一度試すか、ゲストアカウントに戻ってください。',
  'error.guest_gone': 'ゲストアカウントはなくなりました。ご自身のアカウントで続けてください。',
  'error.sign_in_stale':
    'ログインしてから時間が経っています。ゲストのデータを移行するには、もう一度ログインしてください。',
  'error.consent_answered': 'このリクエストにはすでに回答しています。アプリに戻ってください。',

  // the session module
  'error.jwks_empty': '現在、サーバーでセッションを確認できません。後でもう一度お試しください。',
  'error.no_matching_key': 'サーバーの署名鍵が変更されました。ページを再読み込みしてください。',
  'error.bad_signature': 'セッションを確認できませんでした。もう一度ログインしてください。',
  'error.expired':
    'セッションの期限が切れました。ログインしたばかりの場合は、デバイスの時刻を確認してください。',
  'error.missing_exp': 'セッションを確認できませんでした。もう一度ログインしてください。',
  'error.bad_algorithm': 'セッションを確認できませんでした。もう一度ログインしてください。',
  'error.url_and_key_required': 'このページの設定が完了していません。サポートにお問い合わせください。',

  // organizations, whose functions belong to the project
  'error.account_required':
    'ゲストは組織を利用できません。先にアカウントを保存するか、ログインしてください。',
  'error.already_member': 'このアカウントはすでにメンバーです。変更は行われていません。',
  'error.invalid_input': '入力内容に無効なものがあります。内容を確認してください。',
  'error.invitation_expired': 'この招待は期限切れです。新しい招待を依頼してください。',
  'error.invitation_for_other_email':
    'この招待は別のメールアドレス宛てです。そのアドレスでログインし、アドレスを確認してください。',
  'error.invitation_not_found': 'この招待はなくなりました。新しい招待を依頼してください。',
  'error.invitation_used': 'この招待は使用済みです。新しい招待を依頼してください。',
  'error.last_owner':
    '組織にはオーナーが必要です。先に別のメンバーをオーナーにするか、組織を削除してください。',
  'error.limit_reached': '上限に達しました。不要なものを削除してから、もう一度お試しください。',
  'error.member_not_found': 'この人はすでにメンバーではありません。ページを再読み込みしてください。',
  'error.not_allowed': 'あなたのロールでは許可されていません。オーナーに依頼してください。',
  'error.organization_not_found':
    '該当する組織が見つかりませんでした。入力内容を確認し、組織が参加リクエストを受け付けているかメンバーに確認してください。',
  'error.request_not_found':
    'このリクエストはすでに回答されたか、取り下げられました。ページを再読み込みしてください。',
  'error.role_not_found': 'このロールはすでに削除されています。ページを再読み込みしてください。',
  'error.role_in_use': 'このロールを持つメンバーまたは招待があります。先に別のロールを割り当ててください。',
  'error.role_taken': '似た名前のロールがあります。別の名前を選択してください。',
  'error.session_required': 'セッションの期限が切れました。もう一度ログインしてください。',
  'error.slug_taken': 'この短縮名は別の組織が使用しています。別の名前を選択してください。',
};
