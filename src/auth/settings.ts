/** The settings of config.toml in the terms of this service; read once, at creation. */
import type { Config } from '../config/index.ts';
import { defaultColor, type MailBrand } from './core/default-mails.ts';
import { type PasswordRules, requiredSets } from './core/password-rules.ts';
import { type RedirectRules, redirectRules } from './core/redirects.ts';
import type { SmsConfig } from './core/text-providers.ts';
import { type RelyingParty, relyingParty } from './core/webauthn/relying-party.ts';

export type SmsProvider = '' | 'twilio' | 'twilio_verify' | 'messagebird' | 'textlocal' | 'vonage';

export type Mode = 'development' | 'production';

export type HookName = keyof Config['auth']['hook'] | keyof Config['plinth']['auth']['hook'];

/** `[auth.external.NAME]`. */
export interface ProviderSettings {
  readonly enabled: boolean;
  /** The first is ours at the provider; ID tokens may be made for any of them. */
  readonly clientIds: readonly string[];
  readonly secret: string;
  /** '' where the provider has an address of its own. */
  readonly url: string;
  /** '' for our callback. */
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
  /** Addresses that are known once the port is. */
  readonly externalUrl: () => string;
  readonly issuer: () => string;
  /** Our own pages for end users. */
  readonly accountUrl: () => string;
  readonly accessTokenSeconds: number;
  readonly signupEnabled: boolean;
  readonly anonymousEnabled: boolean;
  readonly manualLinkingEnabled: boolean;
  readonly password: PasswordRules;
  readonly leakedPasswords: Config['plinth']['auth']['password']['hibp'];
  readonly saml: Config['plinth']['auth']['saml'];
  /** Users may delete their own account. */
  readonly deletionEnabled: boolean;
  readonly passwordChange: { readonly needsReauthentication: boolean; readonly needsCurrent: boolean };
  readonly refresh: { readonly rotation: boolean; readonly reuseIntervalMs: number };
  readonly sessions: {
    readonly timeboxMs: number;
    readonly inactivityTimeoutMs: number;
    readonly singlePerUser: boolean;
  };
  readonly requestTimeoutMs: number;
  /** Undefined: guests stay. */
  readonly guestLifetimeMs: number | undefined;
  readonly email: {
    readonly enabled: boolean;
    readonly autoconfirm: boolean;
    /** Responses don't show who has an account. */
    readonly hidesAccounts: boolean;
    readonly doubleConfirmChanges: boolean;
    readonly maxFrequencyMs: number;
    readonly otpLength: number;
    readonly otpExpiryMs: number;
  };
  readonly mail: {
    /** In lower case; empty: everybody's. */
    readonly authorizedAddresses: readonly string[];
    readonly checksDomains: boolean;
    /** Links of all mails lead to our page with a button. */
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
    /** Bare phone number to its fixed code. */
    readonly testCodes: ReadonlyMap<string, string>;
  };
  /** For the provider of text messages. */
  readonly sms: SmsConfig;
  readonly oauthServer: {
    readonly enabled: boolean;
    readonly allowsRegistration: boolean;
    /** The page that asks users whether a client may act for them; undefined when there is none. */
    readonly consentUrl: () => string | undefined;
  };
  readonly providers: ReadonlyMap<string, ProviderSettings>;
  readonly mfa: Config['auth']['mfa'];
  readonly passkeysEnabled: boolean;
  readonly relyingParty: RelyingParty;
  readonly hooks: Config['auth']['hook'] & Config['plinth']['auth']['hook'];
  /** Mails and text messages an hour, for the whole server. */
  readonly hourly: { readonly emails: number; readonly sms: number };
  /** In development everybody comes from one address, and the local stack names no header to tell them apart. */
  readonly limitsByAddress: boolean;
  /** Tokens of OAuth clients open the routes that change an account, as upstream. */
  readonly clientsActAsUsers: boolean;
  /** Wrong guesses at typed secrets count by account and token. */
  readonly limitsGuesses: boolean;
  readonly config: Config['auth'];
}

const smsProviders = ['twilio', 'twilio_verify', 'messagebird', 'textlocal', 'vonage'] as const;

/** A code by SMS holds longer than the hosted default: the local stack's 6000 seconds, and 6 digits. */
const smsOtp = { length: 6, expiryMs: 6_000_000 };

/** As the local stack does without a mail server of the project's own. */
const practicallyNoLimit = 360_000;

export function settingsFrom(
  { auth, plinth, project_id }: Config,
  mode: Mode,
  apiUrl: () => string,
  hasAccountPages = true,
): Settings {
  const externalUrl = () => auth.external_url ?? `${apiUrl()}/auth/v1`;
  // Developers see upstream's responses, with what could not be sent and why.
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
        // A path of ours means nothing in a mailbox.
        supportUrl: plinth.branding.support_url?.replace(/^\/.*/, '') ?? '',
      },
    },
    phone: {
      // Without a provider the local stack turns phones off; here their messages are captured.
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

/** The project's own page, if it names one; else ours, below `apiUrl`. */
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
