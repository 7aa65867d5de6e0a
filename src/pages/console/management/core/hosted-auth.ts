/** The fields of the hosted service's auth configuration, with the corresponding settings in config.toml. */
import {
  at,
  flag,
  type HostedSetting,
  hours,
  html,
  inverted,
  list,
  named,
  number,
  seconds,
  shown,
  text,
} from './hosted-formats.ts';

type Fields = Readonly<Record<string, HostedSetting>>;

const providers = [
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'figma',
  'github',
  'gitlab',
  'google',
  'kakao',
  'keycloak',
  'linkedin_oidc',
  'notion',
  'slack_oidc',
  'spotify',
  'twitch',
  'twitter',
  'workos',
  'x',
  'zoom',
] as const;
const hooks = [
  'before_user_created',
  'custom_access_token',
  'mfa_verification_attempt',
  'password_verification_attempt',
  'send_email',
  'send_sms',
] as const;
const emails = [
  'confirmation',
  'email_change',
  'invite',
  'magic_link',
  'reauthentication',
  'recovery',
] as const;
const notices = [
  'email_changed',
  'identity_linked',
  'identity_unlinked',
  'mfa_factor_enrolled',
  'mfa_factor_unenrolled',
  'password_changed',
  'phone_changed',
] as const;

const each = <Name extends string>(names: readonly Name[], fieldsOf: (name: Name) => Fields): Fields =>
  Object.assign({}, ...names.map(fieldsOf));

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const digits = '0123456789';
const requiredCharacters = {
  '': '',
  letters_digits: `${lower}${upper}:${digits}`,
  lower_upper_letters_digits: `${lower}:${upper}:${digits}`,
  lower_upper_letters_digits_symbols: `${lower}:${upper}:${digits}:!@#$%^&*()_+-=[]{};'\\\\:"|<>?,./\`~`,
};

const smsProviders = ['twilio', 'twilio_verify', 'messagebird', 'textlocal', 'vonage'] as const;
const enabledSmsProvider = shown((sms) =>
  smsProviders.find((name) => (sms as Readonly<Record<string, { enabled: boolean }>>)[name]?.enabled),
);

/**
 * Returns the setting that corresponds to a field in the email server's configuration. In the hosted format, null
 * fields mean that the email server is disabled.
 */
const smtp = (name: string) =>
  at(
    'auth.email.smtp',
    shown((server) => {
      const { enabled, [name]: value } = server as Readonly<Record<string, unknown>>;
      return enabled === true && value !== undefined ? String(value) : undefined;
    }),
  );

export const authFields: Fields = {
  site_url: at('auth.site_url', text),
  uri_allow_list: at('auth.additional_redirect_urls', list),
  jwt_exp: at('auth.jwt_expiry', number),
  refresh_token_rotation_enabled: at('auth.enable_refresh_token_rotation', flag),
  security_refresh_token_reuse_interval: at('auth.refresh_token_reuse_interval', number),
  security_manual_linking_enabled: at('auth.enable_manual_linking', flag),
  disable_signup: at('auth.enable_signup', inverted),
  external_anonymous_users_enabled: at('auth.enable_anonymous_sign_ins', flag),
  password_min_length: at('auth.minimum_password_length', number),
  password_required_characters: at('auth.password_requirements', named(requiredCharacters)),
  rate_limit_anonymous_users: at('auth.rate_limit.anonymous_users', number),
  rate_limit_token_refresh: at('auth.rate_limit.token_refresh', number),
  rate_limit_otp: at('auth.rate_limit.sign_in_sign_ups', number),
  rate_limit_verify: at('auth.rate_limit.token_verifications', number),
  rate_limit_sms_sent: at('auth.rate_limit.sms_sent', number),
  rate_limit_web3: at('auth.rate_limit.web3', number),
  rate_limit_email_sent: at('auth.rate_limit.email_sent', number),
  sessions_timebox: at('auth.sessions.timebox', hours),
  sessions_inactivity_timeout: at('auth.sessions.inactivity_timeout', hours),
  sessions_single_per_user: at('plinth.auth.sessions.single_per_user', shown()),
  mfa_max_enrolled_factors: at('auth.mfa.max_enrolled_factors', number),
  mfa_totp_enroll_enabled: at('auth.mfa.totp.enroll_enabled', flag),
  mfa_totp_verify_enabled: at('auth.mfa.totp.verify_enabled', flag),
  mfa_phone_enroll_enabled: at('auth.mfa.phone.enroll_enabled', flag),
  mfa_phone_verify_enabled: at('auth.mfa.phone.verify_enabled', flag),
  mfa_phone_otp_length: at('auth.mfa.phone.otp_length', number),
  mfa_phone_template: at('auth.mfa.phone.template', text),
  mfa_phone_max_frequency: at('auth.mfa.phone.max_frequency', seconds),
  mfa_web_authn_enroll_enabled: at('auth.mfa.web_authn.enroll_enabled', flag),
  mfa_web_authn_verify_enabled: at('auth.mfa.web_authn.verify_enabled', flag),
  passkey_enabled: at('auth.passkey.enabled', flag),
  webauthn_rp_display_name: at('auth.webauthn.rp_display_name', text),
  webauthn_rp_id: at('auth.webauthn.rp_id', text),
  webauthn_rp_origins: at('auth.webauthn.rp_origins', list),
  external_email_enabled: at('auth.email.enable_signup', flag),
  mailer_secure_email_change_enabled: at('auth.email.double_confirm_changes', flag),
  mailer_autoconfirm: at('auth.email.enable_confirmations', inverted),
  mailer_otp_length: at('auth.email.otp_length', number),
  mailer_otp_exp: at('auth.email.otp_expiry', number),
  security_update_password_require_reauthentication: at('auth.email.secure_password_change', flag),
  security_update_password_require_current_password: at('auth.email.require_current_password', flag),
  smtp_max_frequency: at('auth.email.max_frequency', seconds),
  ...each(['admin_email', 'host', 'port', 'sender_name', 'user'], (name) => ({
    [`smtp_${name}`]: smtp(name),
  })),
  external_phone_enabled: at('auth.sms.enable_signup', flag),
  sms_autoconfirm: at('auth.sms.enable_confirmations', inverted),
  sms_template: at('auth.sms.template', text),
  sms_max_frequency: at('auth.sms.max_frequency', seconds),
  sms_provider: at('auth.sms', enabledSmsProvider),
  external_web3_solana_enabled: at('auth.web3.solana.enabled', flag),
  external_web3_ethereum_enabled: at('auth.web3.ethereum.enabled', flag),
  oauth_server_enabled: at('auth.oauth_server.enabled', flag),
  oauth_server_allow_dynamic_registration: at('auth.oauth_server.allow_dynamic_registration', flag),
  oauth_server_authorization_path: at('auth.oauth_server.authorization_url_path', text),
  password_hibp_enabled: at('plinth.auth.password.hibp.enabled', shown()),
  saml_enabled: at('plinth.auth.saml.enabled', shown()),
  security_captcha_enabled: at('auth.captcha.enabled', flag),
  security_captcha_provider: at('auth.captcha.provider', text),
  ...each(providers, (name) => ({
    [`external_${name}_enabled`]: at(`auth.external.${name}.enabled`, flag),
    [`external_${name}_client_id`]: at(`auth.external.${name}.client_id`, text),
    [`external_${name}_email_optional`]: at(`auth.external.${name}.email_optional`, flag),
  })),
  ...each(['azure', 'gitlab', 'keycloak', 'workos'], (name) => ({
    [`external_${name}_url`]: at(`auth.external.${name}.url`, text),
  })),
  external_google_skip_nonce_check: at('auth.external.google.skip_nonce_check', flag),
  ...each(hooks, (name) => ({
    [`hook_${name}_enabled`]: at(`auth.hook.${name}.enabled`, flag),
    [`hook_${name}_uri`]: at(`auth.hook.${name}.uri`, text),
  })),
  ...each(emails, (name) => ({
    [`mailer_subjects_${name}`]: at(`auth.email.template.${name}.subject`, text),
    [`mailer_templates_${name}_content`]: at(`auth.email.template.${name}.content`, html),
  })),
  ...each(notices, (name) => ({
    [`mailer_notifications_${name}_enabled`]: at(`auth.email.notification.${name}.enabled`, flag),
    [`mailer_subjects_${name}_notification`]: at(`auth.email.notification.${name}.subject`, text),
    [`mailer_templates_${name}_notification_content`]: at(`auth.email.notification.${name}.content`, html),
  })),
};

/**
 * Fields that upstream's CLI requires, but that contain a secret or don't correspond to a setting in Plinth. The value
 * of these fields is null.
 */
export const emptyAuthFields: readonly string[] = [
  ...['api_max_request_duration', 'db_max_pool_size', 'db_max_pool_size_unit'],
  ...['external_apple_additional_client_ids', 'external_google_additional_client_ids'],
  ...providers.map((name) => `external_${name}_secret`),
  ...['client_id', 'email_optional', 'enabled', 'secret'].map((name) => `external_slack_${name}`),
  ...hooks.map((name) => `hook_${name}_secrets`),
  ...['enabled', 'uri', 'secrets'].map((name) => `hook_after_user_created_${name}`),
  'mailer_allow_unverified_email_sign_ins',
  ...['nimbus_oauth_client_id', 'nimbus_oauth_email_optional', 'nimbus_oauth_client_secret'],
  ...['saml_external_url', 'saml_allow_encrypted_assertions'],
  ...['security_sb_forwarded_for_enabled', 'security_captcha_secret', 'sessions_tags'],
  ...['sms_messagebird_access_key', 'sms_messagebird_originator', 'sms_otp_exp', 'sms_test_otp'],
  ...['sms_test_otp_valid_until', 'sms_textlocal_api_key', 'sms_textlocal_sender'],
  ...['twilio', 'twilio_verify'].flatMap((name) =>
    ['account_sid', 'auth_token', 'message_service_sid'].map((field) => `sms_${name}_${field}`),
  ),
  ...['sms_twilio_content_sid', 'sms_vonage_api_key', 'sms_vonage_api_secret', 'sms_vonage_from'],
  'smtp_pass',
];
