/**
 * The settings that developers can change in the Console. Owners can change all settings. Only owners can change a new
 * setting until it is added to this list. The list excludes settings that contain a file, a key, a secret, code to run,
 * or an address to which data, requests or users are sent. Settings that determine who can use the Console or how this
 * machine can be reached are also excluded.
 */
import { languageTags } from '../../../base/shared/languages.ts';
import type { SettingsFile } from './define.ts';

const welcome = languageTags.map((tag) => `branding.welcome.${tag}`).join(' ');

const project = `
project_id
api.enabled api.schemas api.extra_search_path api.max_rows api.auto_expose_new_tables
realtime.enabled
storage.enabled storage.file_size_limit storage.image_transformation.enabled
storage.buckets.*.public storage.buckets.*.file_size_limit storage.buckets.*.allowed_mime_types
edge_runtime.enabled edge_runtime.policy functions.*.enabled functions.*.verify_jwt
auth.enabled auth.jwt_expiry auth.enable_refresh_token_rotation auth.refresh_token_reuse_interval
auth.enable_signup auth.enable_anonymous_sign_ins auth.enable_manual_linking
auth.minimum_password_length auth.password_requirements
auth.rate_limit.email_sent auth.rate_limit.sms_sent auth.rate_limit.anonymous_users auth.rate_limit.token_refresh
auth.rate_limit.sign_in_sign_ups auth.rate_limit.token_verifications auth.rate_limit.web3
auth.passkey.enabled auth.webauthn.rp_display_name
auth.sessions.timebox auth.sessions.inactivity_timeout
auth.mfa.max_enrolled_factors auth.mfa.totp.enroll_enabled auth.mfa.totp.verify_enabled
auth.mfa.phone.enroll_enabled auth.mfa.phone.verify_enabled auth.mfa.phone.otp_length auth.mfa.phone.template
auth.mfa.phone.max_frequency auth.mfa.web_authn.enroll_enabled auth.mfa.web_authn.verify_enabled
auth.email.enable_signup auth.email.double_confirm_changes auth.email.enable_confirmations
auth.email.secure_password_change auth.email.require_current_password auth.email.max_frequency
auth.email.otp_length auth.email.otp_expiry
auth.email.template.invite.subject auth.email.template.confirmation.subject auth.email.template.recovery.subject
auth.email.template.magic_link.subject auth.email.template.email_change.subject
auth.email.template.reauthentication.subject
auth.email.notification.password_changed.enabled auth.email.notification.password_changed.subject
auth.email.notification.email_changed.enabled auth.email.notification.email_changed.subject
auth.email.notification.phone_changed.enabled auth.email.notification.phone_changed.subject
auth.email.notification.identity_linked.enabled auth.email.notification.identity_linked.subject
auth.email.notification.identity_unlinked.enabled auth.email.notification.identity_unlinked.subject
auth.email.notification.mfa_factor_enrolled.enabled auth.email.notification.mfa_factor_enrolled.subject
auth.email.notification.mfa_factor_unenrolled.enabled auth.email.notification.mfa_factor_unenrolled.subject
auth.sms.enable_signup auth.sms.enable_confirmations auth.sms.template auth.sms.max_frequency
auth.web3.solana.enabled auth.web3.ethereum.enabled
auth.oauth_server.enabled auth.oauth_server.allow_dynamic_registration
`;

const plinth = `
branding.name branding.color ${welcome}
account.languages account.require_mfa account.deletion account.confirm_by_button account.passkeys_need_second_factor
auth.external.anonymous_users.lifetime auth.mailer.email_validation_extended auth.mailer.invitation_expiry
auth.api.max_request_duration auth.sessions.single_per_user
auth.password.hibp.enabled auth.password.hibp.fail_closed
rest.connections rest.max_answer_size rest.max_waiting_answers rest.max_request_bodies
storage.multipart_lifetime
realtime.max_concurrent_users realtime.max_events_per_second realtime.max_joins_per_second
realtime.max_channels_per_client realtime.max_presence_events_per_second realtime.client_presence_max_calls
realtime.client_presence_window realtime.max_payload_size_in_kb realtime.private_only
realtime.max_buffered_per_client realtime.max_buffered realtime.max_waiting_changes realtime.max_slot_wal
safe_update.enabled
`;

/** The settings' keys. In a key, `*` stands for a user-chosen name. */
export const developerSettings: Readonly<Record<SettingsFile, ReadonlySet<string>>> = {
  'config.toml': new Set(project.trim().split(/\s+/)),
  'plinth.toml': new Set(plinth.trim().split(/\s+/)),
};

/**
 * The developers' settings that someone with a stolen session may change, because they don't weaken any protection:
 * names, texts, sizes and switches of whole services. All other settings need a recent sign-in, so a new setting needs
 * one until it is added here.
 */
const harmless = `
project_id
api.enabled api.extra_search_path api.max_rows
realtime.enabled
storage.enabled storage.file_size_limit storage.image_transformation.enabled
storage.buckets.*.file_size_limit storage.buckets.*.allowed_mime_types
edge_runtime.enabled edge_runtime.policy functions.*.enabled
auth.webauthn.rp_display_name
auth.email.template.invite.subject auth.email.template.confirmation.subject auth.email.template.recovery.subject
auth.email.template.magic_link.subject auth.email.template.email_change.subject
auth.email.template.reauthentication.subject
auth.email.notification.password_changed.subject auth.email.notification.email_changed.subject
auth.email.notification.phone_changed.subject auth.email.notification.identity_linked.subject
auth.email.notification.identity_unlinked.subject auth.email.notification.mfa_factor_enrolled.subject
auth.email.notification.mfa_factor_unenrolled.subject
auth.mfa.phone.template auth.sms.template
branding.name branding.color ${welcome} account.languages
rest.connections rest.max_answer_size rest.max_waiting_answers rest.max_request_bodies
storage.multipart_lifetime
realtime.max_concurrent_users realtime.max_events_per_second realtime.max_joins_per_second
realtime.max_channels_per_client realtime.max_presence_events_per_second realtime.client_presence_max_calls
realtime.client_presence_window realtime.max_payload_size_in_kb
realtime.max_buffered_per_client realtime.max_buffered realtime.max_waiting_changes realtime.max_slot_wal
`;

/** The keys of {@link harmless} in both files. In a key, `*` stands for a user-chosen name. */
export const harmlessSettings: ReadonlySet<string> = new Set(harmless.trim().split(/\s+/));
