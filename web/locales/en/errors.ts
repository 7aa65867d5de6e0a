/**
 * What people read for the codes of auth, of `/account/api` and of the session module: what happened, then what to do.
 * The id is `error.` and the code. No text tells whether an account exists.
 */
export const messages = {
  // general
  'error.network': 'The server can’t be reached. Check your connection and try again.',
  'error.key-cancelled': 'No key was used. Try again, or choose another way.',
  'error.key-known': 'This device has a key for your account already. Use that one.',
  'error.other': 'Something went wrong on our side. Try again in a moment.',
  'error.unknown': 'Something went wrong on our side. Try again in a moment.',
  'error.unexpected_failure': 'Something went wrong on our side. Try again in a moment.',
  'error.validation_failed': 'Something in the form isn’t right. Check what you typed.',
  'error.bad_json': 'The request didn’t arrive in one piece. Try again.',
  'error.conflict': 'Something else changed this at the same moment. Try again.',
  'error.request_timeout': 'The answer took too long. Try again.',
  'error.request_entity_too_large': 'What you entered is too long. Shorten it and try again.',
  'error.feature_disabled': 'This isn’t offered here. Choose another way.',

  // token, user
  'error.bad_jwt': 'Your session has ended. Sign in again.',
  'error.not_admin': 'Only people who run this service may do this. Ask one of them.',
  'error.no_authorization': 'You’re not signed in. Sign in first.',
  'error.not_signed_in': 'You’re not signed in. Sign in first.',
  'error.user_not_found': 'Your session has ended. Sign in again.',
  'error.user_banned': 'This account is blocked. Ask the people who run this service.',
  'error.session_not_kept':
    'This browser didn’t keep you signed in. Allow cookies for this site, then sign in again.',
  'error.session_not_found': 'You were signed out, here or on another device. Sign in again.',
  'error.session_expired': 'Your session has ended. Sign in again.',
  'error.refresh_token_not_found': 'Your session has ended. Sign in again.',
  'error.refresh_token_already_used': 'Your session has ended. Sign in again.',
  'error.unexpected_audience': 'Your session isn’t meant for this service. Sign in again.',
  'error.invalid_credentials': 'The email address or password isn’t right. Check both and try again.',
  'error.insufficient_aal': 'A second step is needed for this. Confirm it with your authenticator app first.',

  // sign-up, mail, phone
  'error.signup_disabled': 'New accounts can’t be created at the moment. If you have one, sign in instead.',
  'error.user_already_exists':
    'This address can’t be used for a new account. If it’s yours, sign in instead.',
  'error.email_exists': 'This address can’t be used. Choose another one.',
  'error.phone_exists': 'This number can’t be used. Choose another one.',
  'error.email_provider_disabled': 'Signing in by email is switched off. Choose another way to sign in.',
  'error.phone_provider_disabled': 'Signing in by phone is switched off. Choose another way to sign in.',
  'error.anonymous_provider_disabled': 'Guest accounts are switched off. Sign in, or create an account.',
  'error.email_not_confirmed':
    'This address isn’t confirmed yet. Open the message we sent you, or ask for a new code.',
  'error.phone_not_confirmed': 'This phone number isn’t confirmed yet. Ask for a new code.',
  'error.email_address_not_authorized': 'Messages can’t be sent to this address yet. Use another one.',
  'error.email_address_invalid': 'Messages can’t be sent to this address. Check it for mistakes.',
  'error.email_address_not_provided':
    'No email address came along. Allow it there, or choose another way to sign in.',
  'error.invite_not_found': 'This invitation is no longer valid. Ask for a new one.',
  'error.otp_expired': 'This code is wrong or no longer valid. Check it, or ask for a new one.',
  'error.otp_disabled': 'A code can’t be sent here. If this address has no account yet, create one first.',
  'error.sms_send_failed': 'The text message couldn’t be sent. Check the number and try again in a moment.',

  // password
  'error.weak_password': 'This password is too easy to guess. Follow the rules below it.',
  'error.same_password': 'This is the password you already have. Choose a different one.',
  'error.reauthentication_needed':
    'You signed in a while ago. Confirm that it’s you with the code we emailed you.',
  'error.reauthentication_not_valid': 'This code is wrong or no longer valid. Ask for a new one.',
  'error.current_password_invalid': 'The current password isn’t right. Check it and try again.',
  'error.current_password_required': 'The current password is missing. Enter it as well.',

  // limits
  'error.over_request_rate_limit': 'That was too often. Wait a few minutes and try again.',
  'error.over_email_send_rate_limit':
    'A message was sent just now. Wait a moment before you ask for another.',
  'error.over_sms_send_rate_limit': 'A message was sent just now. Wait a moment before you ask for another.',
  'error.captcha_failed': 'We couldn’t make sure that you’re a person. Reload the page and try again.',

  // OAuth, PKCE
  'error.flow_state_not_found': 'This sign-in is no longer valid. Start again from the app.',
  'error.flow_state_expired': 'This sign-in took too long. Start again from the app.',
  'error.flow_state_already_used': 'This sign-in was used already. Start again from the app.',
  'error.oauth_client_state_not_found': 'This sign-in is no longer valid. Start again.',
  'error.oauth_client_state_expired': 'This sign-in took too long. Start again.',
  'error.oauth_invalid_state': 'This sign-in was started elsewhere. Start again in this browser.',
  'error.bad_oauth_state': 'This sign-in was started elsewhere. Start again in this browser.',
  'error.bad_oauth_callback':
    'The other service’s answer wasn’t complete. Start again, or choose another way to sign in.',
  'error.bad_code_verifier': 'This sign-in was started elsewhere. Start again from the app.',
  'error.oauth_provider_not_supported': 'This way to sign in isn’t known here. Choose another one.',
  'error.provider_disabled': 'This way to sign in is switched off. Choose another one.',
  'error.provider_email_needs_verification':
    'The other service hasn’t confirmed your email address. Open the message we sent you.',
  'error.web3_provider_disabled': 'Signing in with a wallet is switched off. Choose another way to sign in.',
  'error.web3_unsupported_chain': 'Wallets of this network can’t be used here. Choose another wallet.',
  'error.custom_provider_not_found': 'This way to sign in is no longer there. Choose another one.',
  'error.over_custom_provider_quota': 'No more ways to sign in can be added. Remove one first.',

  // identities
  'error.identity_not_found': 'This way to sign in is no longer linked. Reload the page.',
  'error.identity_already_exists':
    'This can’t be linked to your account. Sign in with it to see where it leads.',
  'error.single_identity_not_deletable':
    'This is your only way to sign in, so it can’t be removed. Add another one first.',
  'error.email_conflict_identity_not_deletable':
    'This can’t be unlinked while its email address is in use. Change your email address first.',
  'error.manual_linking_disabled': 'Ways to sign in can’t be linked here. Go on with the ones you have.',

  // SSO
  'error.user_sso_managed': 'Your organisation manages this account. Change it there.',
  'error.sso_provider_not_found':
    'There’s no single sign-on for this domain. Check it, or choose another way to sign in.',
  'error.sso_provider_disabled': 'Your organisation’s single sign-on is switched off. Ask its administrator.',
  'error.sso_domain_already_exists': 'This domain has single sign-on already. Choose another domain.',
  'error.saml_provider_disabled': 'Single sign-on is switched off. Choose another way to sign in.',
  'error.saml_relay_state_not_found': 'This sign-in is no longer valid. Start again.',
  'error.saml_relay_state_expired': 'This sign-in took too long. Start again.',
  'error.saml_idp_not_found': 'Your organisation isn’t connected here. Ask its administrator.',
  'error.saml_idp_already_exists': 'This organisation is connected already. Change the connection there is.',
  'error.saml_assertion_no_user_id': 'Your organisation didn’t say who you are. Ask its administrator.',
  'error.saml_assertion_no_email': 'Your organisation didn’t send your email address. Ask its administrator.',
  'error.saml_metadata_fetch_failed': 'Your organisation’s single sign-on can’t be reached. Try again later.',
  'error.saml_entity_id_mismatch':
    'Your organisation’s single sign-on isn’t the one connected here. Ask its administrator.',

  // MFA
  'error.too_many_enrolled_mfa_factors': 'You’ve reached the limit of second steps. Remove one first.',
  'error.mfa_factor_name_conflict': 'You already have an authenticator with this name. Choose another name.',
  'error.mfa_factor_not_found': 'This authenticator is no longer there. Reload the page.',
  'error.mfa_ip_address_mismatch': 'Your network changed in between. Enter the code your app shows now.',
  'error.mfa_challenge_expired': 'That took too long. Enter the code your app shows now.',
  'error.mfa_verification_failed': 'This code isn’t right. Enter the one your app shows now.',
  'error.mfa_verification_rejected': 'The code was refused. Sign in again.',
  'error.mfa_verified_factor_exists': 'This is set up already. Remove the one there is to set up another.',
  'error.mfa_phone_enroll_not_enabled':
    'Phones can’t be added as a second step here. Choose another second step.',
  'error.mfa_phone_verify_not_enabled':
    'Phones can’t be used as a second step here. Choose another second step.',
  'error.mfa_totp_enroll_not_enabled': 'Authenticator apps can’t be added here. Choose another second step.',
  'error.mfa_totp_verify_not_enabled': 'Authenticator apps can’t be used here. Choose another second step.',
  'error.mfa_webauthn_enroll_not_enabled': 'Security keys can’t be added here. Choose another second step.',
  'error.mfa_webauthn_verify_not_enabled': 'Security keys can’t be used here. Choose another second step.',

  // passkeys
  'error.passkey_disabled': 'Passkeys are switched off. Choose another way to sign in.',
  'error.too_many_passkeys': 'You’ve reached the limit of passkeys. Remove one first.',
  'error.webauthn_credential_not_found': 'This passkey can’t be used here. Choose another way to sign in.',
  'error.webauthn_credential_exists': 'This device has a passkey here already. Use the one there is.',
  'error.webauthn_challenge_not_found': 'This request was used already. Try again.',
  'error.webauthn_challenge_expired': 'That took too long. Try again.',
  'error.webauthn_verification_failed': 'The passkey couldn’t be checked. Try again, or choose another way.',

  // OAuth server
  'error.oauth_client_not_found':
    'This app isn’t known here any more. Go back to the app and tell the people who run it.',
  'error.oauth_authorization_not_found':
    'This request has run out, or belongs to another account. Go back to the app and start again.',
  'error.oauth_consent_not_found': 'This app has no access any more. Reload the page.',
  'error.oauth_dynamic_client_registration_disabled':
    'Apps can’t register themselves here. Tell the people who run this service.',

  // hooks
  'error.hook_timeout': 'A check took too long. Try again.',
  'error.hook_timeout_after_retry': 'A check took too long. Try again.',
  'error.hook_payload_over_size_limit': 'A check couldn’t be done. Tell the people who run this service.',
  'error.hook_payload_invalid_content_type':
    'A check couldn’t be done. Tell the people who run this service.',

  // /account/api
  'error.factor_required':
    'This service asks for two-step verification. Set it up below, then go back to the app.',
  'error.access_denied': 'You didn’t allow it at the provider. Try again, or choose another way to sign in.',
  'error.redirect_not_allowed':
    'You’re signed in, but the app’s address isn’t allowed here. Tell the people who run the app.',
  'error.pkce_required': 'The app didn’t say how it wants to get you back. Tell the people who run the app.',
  'error.bad_code_challenge':
    'The app’s request for sign-in isn’t complete. Tell the people who run the app.',
  'error.not_same_origin': 'The request didn’t come from this page. Reload it and try again.',
  'error.wallet-refused': 'The wallet didn’t sign. Try again, or choose another way to sign in.',
  'error.wallet_refused':
    'The wallet’s signature wasn’t accepted. Try again, or choose another way to sign in.',
  'error.not_a_guest': 'This isn’t about a guest account. Reload the page.',
  'error.hand_over_off':
    'What a guest has can’t be brought along here. Sign in without it, or use another address.',
  'error.hand_over_failed':
    'It couldn’t be brought along, and nothing has changed. Try again, or go back to the guest account.',
  'error.guest_gone': 'The guest account is no longer there. Go on with your account.',
  'error.sign_in_stale': 'You signed in a while ago. Sign in once more to bring it along.',
  'error.consent_answered': 'This request has been answered already. Go back to the app.',

  // the session module
  'error.jwks_empty': 'The server has no signing keys at the moment. Try again later.',
  'error.no_matching_key': 'The server’s signing keys have changed. Reload the page.',
  'error.bad_signature': 'Your session couldn’t be trusted. Sign in again.',
  'error.expired': 'Your session has ended. If you’ve just signed in, check the clock of this device.',
  'error.missing_exp': 'Your session couldn’t be trusted. Sign in again.',
  'error.bad_algorithm': 'Your session couldn’t be trusted. Sign in again.',
  'error.url_and_key_required': 'This page isn’t set up completely. Tell the people who run this service.',
} as const;
