/**
 * Messages for the error codes of auth, `/account/api` and the session module. Each message explains what happened and
 * then what to do. The ID is `error.` and the code. Messages never disclose whether an account exists.
 */
export const messages = {
  // general
  'error.network': 'Can’t reach the server. Check your connection and try again.',
  'error.key-canceled':
    'No passkey or security key was used. Try again. If this device has no key for this site, choose another method.',
  'error.key-not-added':
    'No key was added. Try again. If this device can’t store a key for this site, use another device.',
  'error.key-known': 'This device already has a security key for your account. Use that key.',
  'error.other': 'Something went wrong on our side. Try again in a moment.',
  'error.unknown': 'Something went wrong on our side. Try again in a moment.',
  'error.unexpected_failure': 'Something went wrong on our side. Try again in a moment.',
  'error.validation_failed': 'Some of the information is invalid. Check what you entered.',
  'error.bad_json': 'The request was incomplete. Try again.',
  'error.conflict': 'Someone else changed the same data at the same time. Try again.',
  'error.request_timeout': 'The request timed out. Try again.',
  'error.request_entity_too_large': 'The text you entered is too long. Shorten it and try again.',
  'error.feature_disabled': 'This feature isn’t available here. Choose another option.',

  // token, user
  'error.bad_jwt': 'Your session has expired. Sign in again.',
  'error.not_admin': 'Only administrators can do this. Ask an administrator for help.',
  'error.no_authorization': 'You aren’t signed in. Sign in first.',
  'error.not_signed_in': 'You aren’t signed in. Sign in first.',
  'error.user_not_found': 'Your session has expired. Sign in again.',
  'error.user_banned': 'This account is blocked. Contact support.',
  'error.session_not_kept':
    'This browser didn’t keep you signed in. Allow cookies for this site, then sign in again.',
  'error.session_not_found': 'You were signed out, here or on another device. Sign in again.',
  'error.session_expired': 'Your session has expired. Sign in again.',
  'error.refresh_token_not_found': 'Your session has expired. Sign in again.',
  'error.refresh_token_already_used': 'Your session has expired. Sign in again.',
  'error.unexpected_audience': 'Your session belongs to a different service. Sign in again.',
  'error.invalid_credentials':
    'Incorrect password, or this account has none. Try again, or get a code by email if you usually sign in another way.',
  'error.insufficient_aal':
    'This action requires a second step. Confirm it’s you with your authenticator app first.',

  // sign-up, email, phone
  'error.signup_disabled':
    'New accounts can’t be created at the moment. If you already have an account, sign in instead.',
  'error.user_already_exists':
    'You can’t create an account with this address. If it’s yours, sign in instead.',
  'error.email_exists': 'This address can’t be used. Enter another one.',
  'error.phone_exists': 'This number can’t be used. Enter another one.',
  'error.email_provider_disabled': 'Email sign-in is turned off. Choose another way to sign in.',
  'error.phone_provider_disabled': 'Phone sign-in is turned off. Choose another way to sign in.',
  'error.anonymous_provider_disabled': 'Guest accounts are turned off. Sign in or create an account.',
  'error.device_not_confirmed':
    'You haven’t signed in on this device before. Sign in with the code we’ve emailed you.',
  'error.email_not_confirmed':
    'This address isn’t confirmed yet. Open the email we sent you, or request a new code.',
  'error.phone_not_confirmed': 'This phone number isn’t confirmed yet. Request a new code.',
  'error.email_address_not_authorized': 'We can’t send email to this address yet. Enter another one.',
  'error.email_address_invalid': 'We can’t send email to this address. Check it for mistakes.',
  'error.email_address_not_provided':
    'The other service didn’t share your email address. Allow it to share the address, or choose another way to sign in.',
  'error.invite_not_found': 'This invitation is invalid or expired. Request a new one.',
  'error.otp_expired':
    'Incorrect or expired code. Check it, or request a new one. After five wrong attempts, only a new code works.',
  'error.otp_disabled': 'We can’t send a code. If you don’t have an account yet, create one first.',
  'error.sms_send_failed': 'We couldn’t send the text message. Check the number and try again in a moment.',

  // password
  'error.weak_password': 'This password is too weak. Follow the requirements below.',
  'error.weak_password-leaked': 'This password has appeared in a data leak. Choose another one.',
  'error.same_password': 'This is your current password. Choose a different one.',
  'error.reauthentication_needed': 'You signed in a while ago. Sign in again, and then retry.',
  'error.reauthentication_not_valid': 'Incorrect or expired code. Request a new one.',
  'error.current_password_invalid': 'Incorrect current password. Check it and try again.',
  'error.current_password_required': 'Your current password is missing. Enter it to make this change.',

  // limits
  'error.overloaded': 'The server is receiving too many requests. Try again in a moment.',
  'error.over_request_rate_limit':
    'There were too many attempts, possibly by someone else. Wait before you try again, or use another way to sign in, such as a code by email.',
  'error.over_email_send_rate_limit': 'We’ve just sent an email. Wait a moment before you request another.',
  'error.over_sms_send_rate_limit':
    'We’ve just sent a text message. Wait a moment before you request another.',
  'error.captcha_failed': 'We couldn’t verify that you’re human. Reload the page and try again.',

  // OAuth, PKCE
  'error.flow_state_not_found': 'This sign-in has expired. Start again from the app.',
  'error.flow_state_expired': 'This sign-in has expired. Start again from the app.',
  'error.flow_state_already_used': 'This sign-in request has already been used. Start again from the app.',
  'error.oauth_client_state_not_found': 'This sign-in has expired. Start again.',
  'error.oauth_client_state_expired': 'This sign-in has expired. Start again.',
  'error.oauth_invalid_state': 'This sign-in was started in another browser. Start again in this browser.',
  'error.bad_oauth_state': 'This sign-in was started in another browser. Start again in this browser.',
  'error.bad_oauth_callback':
    'The other service sent an incomplete response. Start again, or choose another way to sign in.',
  'error.bad_code_verifier': 'This sign-in was started in another app or browser. Start again from the app.',
  'error.oauth_provider_not_supported': 'This sign-in method isn’t available. Choose another one.',
  'error.provider_disabled': 'This sign-in method is turned off. Choose another one.',
  'error.provider_email_needs_verification':
    'The other service hasn’t confirmed your email address. If we’ve emailed you, open the email to confirm it. Otherwise, confirm it at the other service and try again.',
  'error.web3_provider_disabled': 'Wallet sign-in is turned off. Choose another way to sign in.',
  'error.web3_unsupported_chain': 'Wallets on this network aren’t supported. Choose another wallet.',
  'error.custom_provider_not_found': 'This sign-in method doesn’t exist anymore. Choose another one.',
  'error.over_custom_provider_quota':
    'The maximum number of custom sign-in methods has been reached. Remove one before you add another.',

  // identities
  'error.identity_not_found': 'This account is no longer linked. Reload the page.',
  'error.identity_already_exists':
    'This account is already linked. Sign in with it to see which user it belongs to.',
  'error.single_identity_not_deletable': 'You can’t remove your only way to sign in. Add another one first.',
  'error.email_conflict_identity_not_deletable':
    'Unlinking this account would change your email address to one that another user has. First change your email address, or unlink the other linked account.',
  'error.manual_linking_disabled':
    'You can’t link accounts here. Sign in with an account that is already linked.',

  // SSO
  'error.user_sso_managed':
    'Your organization manages this account. Ask its administrator to make this change.',
  'error.sso_failed':
    'We couldn’t sign you in through your organization. Try again, or contact its administrator.',
  'error.sso_required':
    'Your organization requires single sign-on for this email address. Sign in with SSO instead.',
  'error.sso_not_allowed':
    'Your organization doesn’t let this account sign in. Contact your organization’s administrator.',
  'error.sso_provider_not_found':
    'Single sign-on isn’t set up for this domain. Check the domain, or choose another way to sign in.',
  'error.sso_provider_disabled':
    'Your organization’s single sign-on is turned off. Contact your organization’s administrator.',
  'error.sso_domain_already_exists': 'This domain already has single sign-on. Choose another domain.',
  'error.saml_provider_disabled': 'Single sign-on is turned off. Choose another way to sign in.',
  'error.saml_relay_state_not_found': 'This sign-in has expired. Start again.',
  'error.saml_relay_state_expired': 'This sign-in has expired. Start again.',
  'error.saml_idp_not_found':
    'Your organization isn’t connected to this service. Contact your organization’s administrator.',
  'error.saml_idp_already_exists': 'This organization is already connected. Change the existing connection.',
  'error.saml_assertion_no_user_id': 'Your organization didn’t send a user ID. Contact its administrator.',
  'error.saml_assertion_no_email':
    'Your organization didn’t send your email address. Contact its administrator.',
  'error.saml_metadata_fetch_failed':
    'Can’t reach your organization’s single sign-on service. Try again later.',
  'error.saml_entity_id_mismatch':
    'The response didn’t come from the sign-in service that is set up for your organization. Contact your organization’s administrator.',

  // MFA
  'error.too_many_enrolled_mfa_factors':
    'You’ve reached the maximum number of second steps. Remove one before you add another.',
  'error.mfa_factor_name_conflict': 'You already have an authenticator with this name. Choose another name.',
  'error.mfa_factor_not_found': 'This authenticator doesn’t exist anymore. Reload the page.',
  'error.mfa_ip_address_mismatch': 'Your network has changed. Enter the code your app shows now.',
  'error.mfa_challenge_expired': 'The request has expired. Enter the code your app shows now.',
  'error.mfa_verification_failed': 'Incorrect code. Enter the code your app shows now.',
  'error.mfa_verification_rejected': 'The code was rejected. Sign in again.',
  'error.mfa_verified_factor_exists':
    'A second step of this kind is already set up. Remove it before you set up another.',
  'error.mfa_phone_enroll_not_enabled':
    'Phones can’t be added as a second step here. Choose another second step.',
  'error.mfa_phone_verify_not_enabled':
    'Phones can’t be used as a second step here. Choose another second step.',
  'error.mfa_totp_enroll_not_enabled': 'Authenticator apps can’t be added here. Choose another second step.',
  'error.mfa_totp_verify_not_enabled': 'Authenticator apps can’t be used here. Choose another second step.',
  'error.mfa_webauthn_enroll_not_enabled': 'Security keys can’t be added here. Choose another second step.',
  'error.mfa_webauthn_verify_not_enabled': 'Security keys can’t be used here. Choose another second step.',

  // passkeys
  'error.passkey_disabled': 'Passkeys are turned off. Choose another way to sign in.',
  'error.too_many_passkeys':
    'You’ve reached the maximum number of passkeys. Remove one before you add another.',
  'error.webauthn_credential_not_found': 'This passkey can’t be used here. Choose another way to sign in.',
  'error.webauthn_credential_exists': 'This device already has a passkey for your account. Use that passkey.',
  'error.webauthn_challenge_not_found': 'This request was already used. Try again.',
  'error.webauthn_challenge_expired': 'The request has expired. Try again.',
  'error.webauthn_verification_failed':
    'The passkey couldn’t be verified. Try again, or choose another method.',

  // OAuth server
  'error.oauth_client_not_found': 'This app isn’t registered here anymore. Contact the app’s support team.',
  'error.oauth_authorization_not_found':
    'This request has expired or belongs to another account. Go back to the app and start again.',
  'error.oauth_consent_not_found': 'This app doesn’t have access anymore. Reload the page.',
  'error.oauth_dynamic_client_registration_disabled': 'Apps can’t register themselves here. Contact support.',

  // hooks
  'error.hook_timeout': 'A required check took too long. Try again.',
  'error.hook_timeout_after_retry': 'A required check took too long. Try again.',
  'error.hook_payload_over_size_limit': 'A required check couldn’t be completed. Contact support.',
  'error.hook_payload_invalid_content_type': 'A required check couldn’t be completed. Contact support.',

  // /account/api
  'error.factor_required':
    'This service requires two-step verification. To set it up, open your account in a browser with JavaScript turned on.',
  'error.access_denied':
    'You canceled sign-in at the other service. Try again, or choose another way to sign in.',
  'error.redirect_not_allowed':
    'You’re signed in, but the app’s address isn’t allowed here. Contact the app’s support team.',
  'error.pkce_required': 'The app’s sign-in request is incomplete. Contact the app’s support team.',
  'error.bad_code_challenge': 'The app’s sign-in request is incomplete. Contact the app’s support team.',
  'error.not_same_origin': 'The request didn’t come from this page. Reload it and try again.',
  'error.wallet-refused': 'The wallet didn’t sign the request. Try again, or choose another way to sign in.',
  'error.wallet_refused':
    'The wallet’s signature wasn’t accepted. Try again, or choose another way to sign in.',
  'error.not_a_guest': 'You aren’t using a guest account. Reload the page.',
  'error.hand_over_off':
    'Your guest data can’t be moved to this account. Sign in without it, or use another address.',
  'error.hand_over_failed':
    'Your guest data couldn’t be moved, and nothing was changed. Try again, or go back to the guest account.',
  'error.guest_gone': 'The guest account doesn’t exist anymore. Continue with your account.',
  'error.sign_in_stale': 'You signed in a while ago. Sign in again to move your guest data.',
  'error.consent_answered': 'You’ve already responded to this request. Go back to the app.',

  // the session module
  'error.jwks_empty': 'The server can’t verify your session right now. Try again later.',
  'error.no_matching_key': 'The server’s signing keys have changed. Reload the page.',
  'error.bad_signature': 'Your session couldn’t be verified. Sign in again.',
  'error.expired': 'Your session has expired. If you’ve just signed in, check this device’s clock.',
  'error.missing_exp': 'Your session couldn’t be verified. Sign in again.',
  'error.bad_algorithm': 'Your session couldn’t be verified. Sign in again.',
  'error.url_and_key_required': 'This page’s setup is incomplete. Contact support.',

  // organizations, whose functions belong to the project
  'error.account_required': 'Guests can’t use organizations. Save your account or sign in first.',
  'error.already_member': 'This account is already a member. Nothing was changed.',
  'error.invalid_input': 'Some of the information is invalid. Check what you entered.',
  'error.invitation_expired': 'This invitation has expired. Ask for another one.',
  'error.invitation_for_other_email':
    'This invitation is for another email address. Sign in with that address, and confirm it.',
  'error.invitation_not_found': 'This invitation doesn’t exist anymore. Ask for another one.',
  'error.invitation_used': 'This invitation was already used. Ask for another one.',
  'error.last_owner':
    'An organization needs an owner. Make another member an owner first, or delete the organization.',
  'error.limit_reached': 'The limit has been reached. Delete what you no longer need, then try again.',
  'error.member_not_found': 'This person isn’t a member anymore. Reload the page.',
  'error.not_allowed': 'Your role doesn’t allow this. Ask an owner for help.',
  'error.organization_not_found':
    'No such organization was found. Check what you entered, and ask a member if the organization accepts requests.',
  'error.request_not_found': 'This request was already answered or withdrawn. Reload the page.',
  'error.role_not_found': 'This role doesn’t exist anymore. Reload the page.',
  'error.role_in_use': 'Some members or invitations have this role. Give them another role first.',
  'error.role_taken': 'Another role has a similar name. Choose a different name.',
  'error.session_required': 'Your session has expired. Sign in again.',
  'error.slug_taken': 'Another organization has this short name. Choose a different one.',
} as const;
