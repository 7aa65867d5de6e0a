export const messages = {
  // general
  'error.network': '서버에 연결할 수 없습니다. 연결을 확인하고 다시 시도하세요.',
  'error.key-canceled':
    '패스키나 보안 키가 사용되지 않았습니다. 다시 시도하세요. 이 기기에 이 사이트의 키가 없으면 다른 방법을 선택하세요.',
  'error.key-not-added':
    '키가 추가되지 않았습니다. 다시 시도하세요. 이 기기에 이 사이트의 키를 저장할 수 없으면 다른 기기를 사용하세요.',
  'error.key-known': '이 기기에 이미 계정의 보안 키가 있습니다. 해당 키를 사용하세요.',
  'error.other': '서버에 문제가 발생했습니다. 잠시 후 다시 시도하세요.',
  'error.unknown': '서버에 문제가 발생했습니다. 잠시 후 다시 시도하세요.',
  'error.unexpected_failure': '서버에 문제가 발생했습니다. 잠시 후 다시 시도하세요.',
  'error.validation_failed': '일부 정보가 올바르지 않습니다. 입력한 내용을 확인하세요.',
  'error.bad_json': '요청이 완전하지 않습니다. 다시 시도하세요.',
  'error.conflict': '다른 사람이 같은 데이터를 동시에 변경했습니다. 다시 시도하세요.',
  'error.request_timeout': '요청 시간이 초과되었습니다. 다시 시도하세요.',
  'error.request_entity_too_large': '입력한 텍스트가 너무 깁니다. 줄여서 다시 시도하세요.',
  'error.feature_disabled': '여기서는 사용할 수 없는 기능입니다. 다른 방법을 선택하세요.',

  // token, user
  'error.bad_jwt': '세션이 만료되었습니다. 다시 로그인하세요.',
  'error.not_admin': '관리자만 할 수 있는 작업입니다. 관리자에게 도움을 요청하세요.',
  'error.no_authorization': '로그인되어 있지 않습니다. 먼저 로그인하세요.',
  'error.not_signed_in': '로그인되어 있지 않습니다. 먼저 로그인하세요.',
  'error.user_not_found': '세션이 만료되었습니다. 다시 로그인하세요.',
  'error.user_banned': '차단된 계정입니다. 고객 지원팀에 문의하세요.',
  'error.session_not_kept':
    '이 브라우저에서 로그인 상태를 유지하지 못했습니다. 이 사이트의 쿠키를 허용한 후 다시 로그인하세요.',
  'error.session_not_found': '이 기기 또는 다른 기기에서 로그아웃되었습니다. 다시 로그인하세요.',
  'error.session_expired': '세션이 만료되었습니다. 다시 로그인하세요.',
  'error.refresh_token_not_found': '세션이 만료되었습니다. 다시 로그인하세요.',
  'error.refresh_token_already_used': '세션이 만료되었습니다. 다시 로그인하세요.',
  'error.unexpected_audience': '다른 서비스의 세션입니다. 다시 로그인하세요.',
  'error.invalid_credentials':
    '비밀번호가 올바르지 않거나 이 계정에 비밀번호가 없습니다. 다시 시도하거나, 평소 다른 방법으로 로그인한다면 이메일로 코드를 받으세요.',
  'error.insufficient_aal': '이 작업에는 2단계 인증이 필요합니다. 먼저 인증 앱으로 본인 확인을 하세요.',

  // sign-up, email, phone
  'error.signup_disabled': '지금은 새 계정을 만들 수 없습니다. 이미 계정이 있으면 로그인하세요.',
  'error.user_already_exists': '이 주소로는 계정을 만들 수 없습니다. 본인의 주소라면 로그인하세요.',
  'error.email_exists': '사용할 수 없는 주소입니다. 다른 주소를 입력하세요.',
  'error.phone_exists': '사용할 수 없는 번호입니다. 다른 번호를 입력하세요.',
  'error.email_provider_disabled': '이메일 로그인을 사용할 수 없습니다. 다른 로그인 방법을 선택하세요.',
  'error.phone_provider_disabled': '전화번호 로그인을 사용할 수 없습니다. 다른 로그인 방법을 선택하세요.',
  'error.anonymous_provider_disabled': '게스트 계정을 사용할 수 없습니다. 로그인하거나 계정을 만드세요.',
  'error.device_not_confirmed': '이 기기에서 처음 로그인합니다. 이메일로 보낸 코드로 로그인하세요.',
  'error.email_not_confirmed': '아직 확인되지 않은 주소입니다. 받은 이메일을 열거나 새 코드를 요청하세요.',
  'error.phone_not_confirmed': '아직 확인되지 않은 전화번호입니다. 새 코드를 요청하세요.',
  'error.email_address_not_authorized': '아직 이 주소로 이메일을 보낼 수 없습니다. 다른 주소를 입력하세요.',
  'error.email_address_invalid': '이 주소로 이메일을 보낼 수 없습니다. 오타가 있는지 확인하세요.',
  'error.email_address_not_provided':
    '다른 서비스에서 이메일 주소를 공유하지 않았습니다. 주소 공유를 허용하거나 다른 로그인 방법을 선택하세요.',
  'error.invite_not_found': '올바르지 않거나 만료된 초대입니다. 새 초대를 요청하세요.',
  'error.otp_expired':
    '코드가 올바르지 않거나 만료되었습니다. 코드를 확인하거나 새 코드를 요청하세요. 다섯 번 틀리면 새 코드만 사용할 수 있습니다.',
  'error.otp_disabled': '코드를 보낼 수 없습니다. 아직 계정이 없으면 먼저 만드세요.',
  'error.sms_send_failed': '문자를 보낼 수 없습니다. 번호를 확인하고 잠시 후 다시 시도하세요.',

  // password
  'error.weak_password': '비밀번호가 너무 약합니다. 아래 조건을 따르세요.',
  'error.weak_password-leaked': '유출된 데이터에 포함된 비밀번호입니다. 다른 비밀번호를 선택하세요.',
  'error.same_password': '현재 비밀번호와 같습니다. 다른 비밀번호를 선택하세요.',
  'error.reauthentication_needed': '로그인한 지 오래되었습니다. 다시 로그인한 후 시도하세요.',
  'error.reauthentication_not_valid': '코드가 올바르지 않거나 만료되었습니다. 새 코드를 요청하세요.',
  'error.current_password_invalid': '현재 비밀번호가 올바르지 않습니다. 확인하고 다시 시도하세요.',
  'error.current_password_required': '현재 비밀번호가 없습니다. 변경하려면 입력하세요.',

  // limits
  'error.overloaded': '서버에 요청이 너무 많습니다. 잠시 후 다시 시도하세요.',
  'error.over_request_rate_limit':
    '시도 횟수가 너무 많습니다. 다른 사람이 시도했을 수 있습니다. 기다렸다가 다시 시도하거나 이메일 코드와 같은 다른 방법으로 로그인하세요.',
  'error.over_email_send_rate_limit': '방금 이메일을 보냈습니다. 잠시 후에 다시 요청하세요.',
  'error.over_sms_send_rate_limit': '방금 문자를 보냈습니다. 잠시 후에 다시 요청하세요.',
  'error.captcha_failed': '사람인지 확인할 수 없습니다. 페이지를 새로고침하고 다시 시도하세요.',

  // OAuth, PKCE
  'error.flow_state_not_found': '만료된 로그인입니다. 앱에서 다시 시작하세요.',
  'error.flow_state_expired': '만료된 로그인입니다. 앱에서 다시 시작하세요.',
  'error.flow_state_already_used': '이미 사용한 로그인 요청입니다. 앱에서 다시 시작하세요.',
  'error.oauth_client_state_not_found': '만료된 로그인입니다. 다시 시작하세요.',
  'error.oauth_client_state_expired': '만료된 로그인입니다. 다시 시작하세요.',
  'error.oauth_invalid_state': '다른 브라우저에서 시작한 로그인입니다. 이 브라우저에서 다시 시작하세요.',
  'error.bad_oauth_state': '다른 브라우저에서 시작한 로그인입니다. 이 브라우저에서 다시 시작하세요.',
  'error.bad_oauth_callback':
    '다른 서비스의 응답이 완전하지 않습니다. 다시 시작하거나 다른 로그인 방법을 선택하세요.',
  'error.bad_code_verifier': '다른 앱이나 브라우저에서 시작한 로그인입니다. 앱에서 다시 시작하세요.',
  'error.oauth_provider_not_supported': '사용할 수 없는 로그인 방법입니다. 다른 방법을 선택하세요.',
  'error.provider_disabled': '사용이 중지된 로그인 방법입니다. 다른 방법을 선택하세요.',
  'error.provider_email_needs_verification':
    '다른 서비스에서 이메일 주소가 확인되지 않았습니다. 저희가 보낸 이메일이 있으면 열어서 확인하세요. 없으면 다른 서비스에서 확인한 후 다시 시도하세요.',
  'error.web3_provider_disabled': '지갑 로그인을 사용할 수 없습니다. 다른 로그인 방법을 선택하세요.',
  'error.web3_unsupported_chain': '지원하지 않는 네트워크의 지갑입니다. 다른 지갑을 선택하세요.',
  'error.custom_provider_not_found': '더 이상 없는 로그인 방법입니다. 다른 방법을 선택하세요.',
  'error.over_custom_provider_quota':
    '사용자 지정 로그인 방법의 최대 개수에 도달했습니다. 추가하기 전에 하나를 삭제하세요.',

  // identities
  'error.identity_not_found': '더 이상 연결되어 있지 않은 계정입니다. 페이지를 새로고침하세요.',
  'error.identity_already_exists':
    '이미 연결된 계정입니다. 어느 사용자의 계정인지 보려면 그 계정으로 로그인하세요.',
  'error.single_identity_not_deletable':
    '유일한 로그인 방법은 삭제할 수 없습니다. 먼저 다른 방법을 추가하세요.',
  'error.email_conflict_identity_not_deletable':
    '이 계정의 연결을 해제하면 이메일 주소가 다른 사용자의 주소로 바뀝니다. 먼저 이메일 주소를 변경하거나 다른 계정의 연결을 해제하세요.',
  'error.manual_linking_disabled': '여기서는 계정을 연결할 수 없습니다. 이미 연결된 계정으로 로그인하세요.',

  // SSO
  'error.user_sso_managed': '조직에서 관리하는 계정입니다. 변경하려면 조직의 관리자에게 요청하세요.',
  'error.sso_failed': '조직을 통해 로그인할 수 없습니다. 다시 시도하거나 조직의 관리자에게 문의하세요.',
  'error.sso_required': '조직에서 이 이메일 주소에 통합 로그인을 요구합니다. SSO로 로그인하세요.',
  'error.sso_not_allowed': '조직에서 이 계정의 로그인을 허용하지 않습니다. 조직 관리자에게 문의하세요.',
  'error.sso_provider_not_found':
    '이 도메인에는 통합 로그인이 설정되어 있지 않습니다. 도메인을 확인하거나 다른 로그인 방법을 선택하세요.',
  'error.sso_provider_disabled': '조직의 통합 로그인이 중지되었습니다. 조직의 관리자에게 문의하세요.',
  'error.sso_domain_already_exists': '이 도메인에는 이미 통합 로그인이 있습니다. 다른 도메인을 선택하세요.',
  'error.saml_provider_disabled': '통합 로그인을 사용할 수 없습니다. 다른 로그인 방법을 선택하세요.',
  'error.saml_relay_state_not_found': '만료된 로그인입니다. 다시 시작하세요.',
  'error.saml_relay_state_expired': '만료된 로그인입니다. 다시 시작하세요.',
  'error.saml_idp_not_found': '조직이 이 서비스에 연결되어 있지 않습니다. 조직의 관리자에게 문의하세요.',
  'error.saml_idp_already_exists': '이미 연결된 조직입니다. 기존 연결을 변경하세요.',
  'error.saml_assertion_no_user_id': '조직에서 사용자 ID를 보내지 않았습니다. 조직의 관리자에게 문의하세요.',
  'error.saml_assertion_no_email': '조직에서 이메일 주소를 보내지 않았습니다. 조직의 관리자에게 문의하세요.',
  'error.saml_metadata_fetch_failed':
    '조직의 통합 로그인 서비스에 연결할 수 없습니다. 나중에 다시 시도하세요.',
  'error.saml_entity_id_mismatch':
    '조직에 설정된 로그인 서비스에서 온 응답이 아닙니다. 조직의 관리자에게 문의하세요.',

  // MFA
  'error.too_many_enrolled_mfa_factors':
    '2단계 인증 수단의 최대 개수에 도달했습니다. 추가하기 전에 하나를 삭제하세요.',
  'error.mfa_factor_name_conflict': '같은 이름의 인증 앱이 이미 있습니다. 다른 이름을 선택하세요.',
  'error.mfa_factor_not_found': '더 이상 없는 인증 앱입니다. 페이지를 새로고침하세요.',
  'error.mfa_ip_address_mismatch': '네트워크가 변경되었습니다. 앱에 지금 표시된 코드를 입력하세요.',
  'error.mfa_challenge_expired': '요청이 만료되었습니다. 앱에 지금 표시된 코드를 입력하세요.',
  'error.mfa_verification_failed': '코드가 올바르지 않습니다. 앱에 지금 표시된 코드를 입력하세요.',
  'error.mfa_verification_rejected': '코드가 거부되었습니다. 다시 로그인하세요.',
  'error.mfa_verified_factor_exists':
    '이 종류의 2단계 인증 수단이 이미 설정되어 있습니다. 새로 설정하기 전에 삭제하세요.',
  'error.mfa_phone_enroll_not_enabled':
    '여기서는 전화를 2단계 인증 수단으로 추가할 수 없습니다. 다른 수단을 선택하세요.',
  'error.mfa_phone_verify_not_enabled':
    '여기서는 전화를 2단계 인증 수단으로 사용할 수 없습니다. 다른 수단을 선택하세요.',
  'error.mfa_totp_enroll_not_enabled':
    '여기서는 인증 앱을 추가할 수 없습니다. 다른 2단계 인증 수단을 선택하세요.',
  'error.mfa_totp_verify_not_enabled':
    '여기서는 인증 앱을 사용할 수 없습니다. 다른 2단계 인증 수단을 선택하세요.',
  'error.mfa_webauthn_enroll_not_enabled':
    '여기서는 보안 키를 추가할 수 없습니다. 다른 2단계 인증 수단을 선택하세요.',
  'error.mfa_webauthn_verify_not_enabled':
    '여기서는 보안 키를 사용할 수 없습니다. 다른 2단계 인증 수단을 선택하세요.',

  // passkeys
  'error.passkey_disabled': '패스키를 사용할 수 없습니다. 다른 로그인 방법을 선택하세요.',
  'error.too_many_passkeys': '패스키의 최대 개수에 도달했습니다. 추가하기 전에 하나를 삭제하세요.',
  'error.webauthn_credential_not_found':
    '여기서는 이 패스키를 사용할 수 없습니다. 다른 로그인 방법을 선택하세요.',
  'error.webauthn_credential_exists': '이 기기에 이미 계정의 패스키가 있습니다. 해당 패스키를 사용하세요.',
  'error.webauthn_challenge_not_found': '이미 사용한 요청입니다. 다시 시도하세요.',
  'error.webauthn_challenge_expired': '요청이 만료되었습니다. 다시 시도하세요.',
  'error.webauthn_verification_failed':
    '패스키를 확인할 수 없습니다. 다시 시도하거나 다른 방법을 선택하세요.',

  // OAuth server
  'error.oauth_client_not_found':
    '더 이상 여기에 등록되어 있지 않은 앱입니다. 앱의 고객 지원팀에 문의하세요.',
  'error.oauth_authorization_not_found':
    '만료되었거나 다른 계정의 요청입니다. 앱으로 돌아가 다시 시작하세요.',
  'error.oauth_consent_not_found': '이 앱에는 더 이상 액세스 권한이 없습니다. 페이지를 새로고침하세요.',
  'error.oauth_dynamic_client_registration_disabled':
    '앱이 여기에 직접 등록할 수 없습니다. 고객 지원팀에 문의하세요.',

  // hooks
  'error.hook_timeout': '필수 검사가 너무 오래 걸렸습니다. 다시 시도하세요.',
  'error.hook_timeout_after_retry': '필수 검사가 너무 오래 걸렸습니다. 다시 시도하세요.',
  'error.hook_payload_over_size_limit': '필수 검사를 완료할 수 없습니다. 고객 지원팀에 문의하세요.',
  'error.hook_payload_invalid_content_type': '필수 검사를 완료할 수 없습니다. 고객 지원팀에 문의하세요.',

  // /account/api
  'error.factor_required':
    '이 서비스에는 2단계 인증이 필요합니다. 설정하려면 JavaScript를 켠 브라우저에서 계정을 여세요.',
  'error.access_denied':
    '다른 서비스에서 로그인을 취소했습니다. 다시 시도하거나 다른 로그인 방법을 선택하세요.',
  'error.redirect_not_allowed':
    '로그인되었지만 앱의 주소가 허용되지 않습니다. 앱의 고객 지원팀에 문의하세요.',
  'error.pkce_required': '앱의 로그인 요청이 완전하지 않습니다. 앱의 고객 지원팀에 문의하세요.',
  'error.bad_code_challenge': '앱의 로그인 요청이 완전하지 않습니다. 앱의 고객 지원팀에 문의하세요.',
  'error.not_same_origin': '이 페이지에서 보낸 요청이 아닙니다. 새로고침하고 다시 시도하세요.',
  'error.wallet-refused': '지갑이 요청에 서명하지 않았습니다. 다시 시도하거나 다른 로그인 방법을 선택하세요.',
  'error.wallet_refused': '지갑의 서명이 승인되지 않았습니다. 다시 시도하거나 다른 로그인 방법을 선택하세요.',
  'error.not_a_guest': '게스트 계정을 사용하고 있지 않습니다. 페이지를 새로고침하세요.',
  'error.hand_over_off':
    '게스트 데이터를 이 계정으로 옮길 수 없습니다. 데이터 없이 로그인하거나 다른 주소를 사용하세요.',
  'error.hand_over_failed':
    '게스트 데이터를 옮기지 못했으며 아무것도 변경되지 않았습니다. 다시 시도하거나 게스트 계정으로 돌아가세요.',
  'error.guest_gone': '게스트 계정이 더 이상 없습니다. 내 계정으로 계속하세요.',
  'error.sign_in_stale': '로그인한 지 오래되었습니다. 게스트 데이터를 옮기려면 다시 로그인하세요.',
  'error.consent_answered': '이미 응답한 요청입니다. 앱으로 돌아가세요.',

  // the session module
  'error.jwks_empty': '지금은 서버에서 세션을 확인할 수 없습니다. 나중에 다시 시도하세요.',
  'error.no_matching_key': '서버의 서명 키가 변경되었습니다. 페이지를 새로고침하세요.',
  'error.bad_signature': '세션을 확인할 수 없습니다. 다시 로그인하세요.',
  'error.expired': '세션이 만료되었습니다. 방금 로그인했다면 이 기기의 시각을 확인하세요.',
  'error.missing_exp': '세션을 확인할 수 없습니다. 다시 로그인하세요.',
  'error.bad_algorithm': '세션을 확인할 수 없습니다. 다시 로그인하세요.',
  'error.url_and_key_required': '이 페이지의 설정이 완전하지 않습니다. 고객 지원팀에 문의하세요.',

  // organizations, whose functions belong to the project
  'error.account_required': '게스트는 조직을 사용할 수 없습니다. 먼저 계정을 저장하거나 로그인하세요.',
  'error.already_member': '이미 구성원인 계정입니다. 아무것도 변경되지 않았습니다.',
  'error.invalid_input': '일부 정보가 올바르지 않습니다. 입력한 내용을 확인하세요.',
  'error.invitation_expired': '만료된 초대입니다. 새 초대를 요청하세요.',
  'error.invitation_for_other_email':
    '다른 이메일 주소로 보낸 초대입니다. 그 주소로 로그인하고 주소를 확인하세요.',
  'error.invitation_not_found': '더 이상 없는 초대입니다. 새 초대를 요청하세요.',
  'error.invitation_used': '이미 사용한 초대입니다. 새 초대를 요청하세요.',
  'error.last_owner':
    '조직에는 소유자가 필요합니다. 먼저 다른 구성원을 소유자로 지정하거나 조직을 삭제하세요.',
  'error.limit_reached': '한도에 도달했습니다. 더 이상 필요 없는 항목을 삭제한 후 다시 시도하세요.',
  'error.member_not_found': '더 이상 구성원이 아닌 사용자입니다. 페이지를 새로고침하세요.',
  'error.not_allowed': '내 역할로는 할 수 없는 작업입니다. 소유자에게 도움을 요청하세요.',
  'error.organization_not_found':
    '조직을 찾을 수 없습니다. 입력한 내용을 확인하고, 조직에서 가입 요청을 받는지 구성원에게 문의하세요.',
  'error.request_not_found': '이미 응답했거나 철회된 요청입니다. 페이지를 새로고침하세요.',
  'error.role_not_found': '더 이상 없는 역할입니다. 페이지를 새로고침하세요.',
  'error.role_in_use': '일부 구성원 또는 초대에 이 역할이 있습니다. 먼저 다른 역할을 지정하세요.',
  'error.role_taken': '비슷한 이름의 역할이 있습니다. 다른 이름을 선택하세요.',
  'error.session_required': '세션이 만료되었습니다. 다시 로그인하세요.',
  'error.slug_taken': '다른 조직에서 사용하는 짧은 이름입니다. 다른 이름을 선택하세요.',
};
