/** The settings of config.toml as this service uses them. Read once, at creation. */
import type { Config } from '../config/index.ts';
import { defaultColor, type MailBrand } from './core/default-mails.ts';
import { type PasswordRules, requiredSets } from './core/password-rules.ts';
import { type RedirectRules, redirectRules } from './core/redirects.ts';
import type { SmsConfig } from './core/text-providers.ts';
import { type RelyingParty, relyingParty } from './core/webauthn/relying-party.ts';

export type SmsProvider = '' | 'twilio' | 'twilio_verify' | 'messagebird' | 'textlocal' | 'vonage';

export type Mode = 'development' | 'production';

export type HookName = keyof Config['auth']['hook'] | keyof Config['plinth']['auth']['hook'];

/** A section `[auth.external.NAME]`. */
export interface ProviderSettings {
  readonly enabled: boolean;
  /** The first is our own client id at the provider. ID tokens may be issued to any of them. */
  readonly clientIds: readonly string[];
  readonly secret: string;
  /** If empty, the provider's default address is used. */
  readonly url: string;
  /** If empty, our callback is used. */
  readonly redirectUri: string;
  readonly skipNonceCheck: boolean;
  readonly emailOptional: boolean;
}

export interface Settings {
  readonly audience: string;
  readonly defaultRole: string;
  readonly adminRoles: readonly string[];
  readonly siteUrl: string;
  readonly redirects: RedirectRules;
  /** Functions, because these addresses depend on the port. */
  readonly externalUrl: () => string;
  readonly issuer: () => string;
  /** The address of the Account pages, or of the pages the project replaces them with. */
  readonly accountUrl: () => string;
  readonly accessTokenSeconds: number;
  readonly signupEnabled: boolean;
  readonly anonymousEnabled: boolean;
  readonly manualLinkingEnabled: boolean;
  readonly password: PasswordRules;
  readonly leakedPasswords: Config['plinth']['auth']['password']['hibp'];
  readonly saml: Config['plinth']['auth']['saml'];
  /** Whether users can delete their own account. */
  readonly deletionEnabled: boolean;
  readonly passwordChange: { readonly needsReauthentication: boolean; readonly needsCurrent: boolean };
  readonly refresh: { readonly rotation: boolean; readonly reuseIntervalMs: number };
  readonly sessions: {
    readonly timeboxMs: number;
    readonly inactivityTimeoutMs: number;
    readonly singlePerUser: boolean;
  };
  readonly requestTimeoutMs: number;
  /** If undefined, guests are kept forever. */
  readonly guestLifetimeMs: number | undefined;
  readonly email: {
    readonly enabled: boolean;
    readonly autoconfirm: boolean;
    /** Whether responses hide whether an account exists. */
    readonly hidesAccounts: boolean;
    readonly doubleConfirmChanges: boolean;
    readonly maxFrequencyMs: number;
    readonly otpLength: number;
    readonly otpExpiryMs: number;
  };
  readonly mail: {
    /** The addresses in lower case. An empty list allows every address. */
    readonly authorizedAddresses: readonly string[];
    readonly checksDomains: boolean;
    /** Whether the links of all emails lead to a page with a button. */
    readonly confirmsByButton: boolean;
    readonly brand: MailBrand;
  };
  readonly phone: {
    readonly enabled: boolean;
    readonly autoconfirm: boolean;
    readonly hidesAccounts: boolean;
    readonly provider: SmsProvider;
    readonly maxFrequencyMs: number;
    readonly otpLength: number;
    readonly otpExpiryMs: number;
    readonly template: string;
    /** Fixed codes by phone number, without `+`. */
    readonly testCodes: ReadonlyMap<string, string>;
  };
  /** The settings for the SMS provider. */
  readonly sms: SmsConfig;
  readonly oauthServer: {
    readonly enabled: boolean;
    readonly allowsRegistration: boolean;
    /** The page that asks users for their consent. Undefined if there is none. */
    readonly consentUrl: () => string | undefined;
  };
  readonly providers: ReadonlyMap<string, ProviderSettings>;
  readonly mfa: Config['auth']['mfa'];
  readonly passkeysEnabled: boolean;
  readonly relyingParty: RelyingParty;
  readonly hooks: Config['auth']['hook'] & Config['plinth']['auth']['hook'];
  /** Emails and text messages per hour, for the whole server. */
  readonly hourly: { readonly emails: number; readonly sms: number };
  /**
   * False in development, because all clients share one address and the local stack has no header that distinguishes
   * them.
   */
  readonly limitsByAddress: boolean;
  /** Whether an OAuth client's token can change the account, as upstream allows. */
  readonly clientsActAsUsers: boolean;
  /** Whether wrong attempts at user-entered secrets are limited per account and token. */
  readonly limitsGuesses: boolean;
  readonly config: Config['auth'];
}

const smsProviders = ['twilio', 'twilio_verify', 'messagebird', 'textlocal', 'vonage'] as const;

/** SMS codes are valid longer than on the hosted service: 6000 seconds and 6 digits, as on the local stack. */
const smsOtp = { length: 6, expiryMs: 6_000_000 };

/** The same as on the local stack if the project has no mail server. */
const practicallyNoLimit = 360_000;

export function settingsFrom(
  { auth, plinth, project_id }: Config,
  mode: Mode,
  apiUrl: () => string,
  hasAccountPages = true,
): Settings {
  const externalUrl = () => auth.external_url ?? `${apiUrl()}/auth/v1`;
  // In development, responses match upstream's, including delivery errors.
  const hidesAccounts = mode === 'production' && !plinth.auth.reveal_accounts;
  const provider = smsProviders.find((name) => auth.sms[name].enabled) ?? '';
  return {
    audience: 'authenticated',
    defaultRole: 'authenticated',
    adminRoles: ['service_role'],
    siteUrl: auth.site_url,
    redirects: redirectRules(auth.site_url, auth.additional_redirect_urls),
    externalUrl,
    issuer: () => auth.jwt_issuer ?? externalUrl(),
    accountUrl: () => `${apiUrl()}/account`,
    accessTokenSeconds: auth.jwt_expiry,
    signupEnabled: auth.enable_signup,
    anonymousEnabled: auth.enable_anonymous_sign_ins,
    manualLinkingEnabled: auth.enable_manual_linking,
    password: {
      minLength: auth.minimum_password_length,
      requiredSets: requiredSets(auth.password_requirements),
    },
    leakedPasswords: plinth.auth.password.hibp,
    saml: plinth.auth.saml,
    deletionEnabled: plinth.account.deletion,
    passwordChange: {
      needsReauthentication: auth.email.secure_password_change,
      needsCurrent: auth.email.require_current_password,
    },
    refresh: {
      rotation: auth.enable_refresh_token_rotation,
      reuseIntervalMs: auth.refresh_token_reuse_interval * 1000,
    },
    sessions: {
      timeboxMs: auth.sessions.timebox ?? 0,
      inactivityTimeoutMs: auth.sessions.inactivity_timeout ?? 0,
      singlePerUser: plinth.auth.sessions.single_per_user,
    },
    requestTimeoutMs: plinth.auth.api.max_request_duration,
    guestLifetimeMs: plinth.auth.external.anonymous_users.lifetime,
    email: {
      enabled: auth.email.enable_signup,
      autoconfirm: !auth.email.enable_confirmations,
      hidesAccounts,
      doubleConfirmChanges: auth.email.double_confirm_changes,
      maxFrequencyMs: auth.email.max_frequency,
      otpLength: auth.email.otp_length,
      otpExpiryMs: auth.email.otp_expiry * 1000,
    },
    mail: {
      authorizedAddresses: plinth.auth.external.email.authorized_addresses.map((each) => each.toLowerCase()),
      checksDomains: plinth.auth.mailer.email_validation_extended,
      confirmsByButton: plinth.account.confirm_by_button,
      brand: {
        name: plinth.branding.name ?? project_id ?? '',
        color: plinth.branding.color ?? defaultColor,
        // A relative path is useless in an email.
        supportUrl: plinth.branding.support_url?.replace(/^\/.*/, '') ?? '',
      },
    },
    phone: {
      // The local stack disables phone sign-in without a provider. Here, messages are captured instead.
      enabled: auth.sms.enable_signup,
      autoconfirm: !auth.sms.enable_confirmations,
      hidesAccounts,
      provider,
      maxFrequencyMs: auth.sms.max_frequency,
      otpLength: smsOtp.length,
      otpExpiryMs: smsOtp.expiryMs,
      template: auth.sms.template,
      testCodes: new Map(Object.entries(auth.sms.test_otp)),
    },
    sms: { ...auth.sms, contentSid: plinth.auth.sms.twilio.content_sid },
    oauthServer: {
      enabled: auth.oauth_server.enabled,
      allowsRegistration: auth.oauth_server.allow_dynamic_registration,
      consentUrl: () => consentUrl(auth, hasAccountPages ? apiUrl() : undefined),
    },
    providers: new Map(Object.entries(auth.external).map(([name, each]) => [name, providerSettings(each)])),
    mfa: auth.mfa,
    passkeysEnabled: auth.passkey.enabled,
    relyingParty: relyingParty(auth.webauthn, auth.site_url),
    hooks: { ...auth.hook, ...plinth.auth.hook },
    hourly: {
      emails: auth.email.smtp.enabled ? auth.rate_limit.email_sent : practicallyNoLimit,
      sms: auth.rate_limit.sms_sent,
    },
    limitsByAddress: mode === 'production',
    clientsActAsUsers: plinth.auth.oauth_clients_as_users,
    limitsGuesses: plinth.auth.guess_limits,
    config: auth,
  };
}

/** Returns the project's own page if configured, otherwise our page below `apiUrl`. */
function consentUrl(auth: Config['auth'], apiUrl: string | undefined): string | undefined {
  const path = auth.oauth_server.authorization_url_path ?? '';
  if (path === '') return apiUrl && `${apiUrl}/account/consent`;
  return `${auth.site_url.replace(/\/+$/, '')}${path.startsWith('/') ? '' : '/'}${path}`;
}

function providerSettings(provider: Config['auth']['external']['google']): ProviderSettings {
  const ids = provider.client_id.split(',').map((id) => id.trim());
  return {
    enabled: provider.enabled,
    clientIds: ids.filter((id) => id !== ''),
    secret: provider.secret ?? '',
    url: provider.url,
    redirectUri: provider.redirect_uri,
    skipNonceCheck: provider.skip_nonce_check,
    emailOptional: provider.email_optional,
  };
}
