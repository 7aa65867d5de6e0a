/** Converts the settings in config.toml to the form used by the auth service. */
import type { Config } from '../../platform/config/index.ts';
import { type RedirectRules, redirectRules } from './common/redirects.ts';
import type { LockoutRules } from './limits/rules.ts';
import { defaultColor, type MailBrand } from './messages/defaults.ts';
import type { SmsConfig } from './messages/text-providers.ts';
import { parseScopes } from './oauth-server/scopes.ts';
import { type RelyingParty, relyingParty } from './passkeys/ceremony.ts';
import { type PasswordRules, requiredSets } from './passwords/rules.ts';

export type SmsProvider = '' | 'twilio' | 'twilio_verify' | 'messagebird' | 'textlocal' | 'vonage';

export type Mode = 'development' | 'production';

export type HookName = keyof Config['auth']['hook'] | keyof Config['plinth']['auth']['hook'];

/** A provider's settings (`[auth.external.NAME]`). */
export interface ProviderSettings {
  readonly enabled: boolean;
  /**
   * The accepted client IDs. ID tokens may be issued to any of these client IDs. The first client ID identifies this
   * project at the provider.
   */
  readonly clientIds: readonly string[];
  readonly secret: string;
  /** The provider's URL. If empty, the default URL is used. */
  readonly url: string;
  /** The redirect URL. If empty, this server's callback URL is used. */
  readonly redirectUri: string;
  readonly skipNonceCheck: boolean;
  readonly emailOptional: boolean;
}

/** The maximum size of a request body, for routes and for calls within this process. */
export const maxBodyBytes = 1_048_576;

export interface Settings {
  readonly audience: string;
  readonly defaultRole: string;
  readonly adminRoles: readonly string[];
  readonly siteUrl: string;
  /** The URL at which the app starts a sign-in. Defaults to `siteUrl`. */
  readonly signInUrl: string;
  readonly redirects: RedirectRules;
  /** The following properties are functions, because the URLs depend on the port. */
  readonly externalUrl: () => string;
  readonly issuer: () => string;
  /** The URL of the Account pages, or of the project's pages that replace the Account pages. */
  readonly accountUrl: () => string;
  /** The languages of the Account pages. The default language is first. */
  readonly languages: readonly string[];
  /** Whether the Account pages are served. */
  readonly hasAccountPages: boolean;
  readonly accessTokenSeconds: number;
  readonly signupEnabled: boolean;
  readonly anonymousEnabled: boolean;
  readonly manualLinkingEnabled: boolean;
  readonly password: PasswordRules;
  readonly leakedPasswords: Config['plinth']['auth']['password']['hibp'];
  readonly saml: Config['plinth']['auth']['saml'];
  /** Whether users can delete their own accounts. */
  readonly deletionEnabled: boolean;
  /** API keys that users create for their own account. */
  readonly userKeys: { readonly enabled: boolean; readonly scopes: readonly string[] };
  readonly organizations: {
    /** Whether access tokens contain the claims of an organization, and users can email invitations. */
    readonly enabled: boolean;
    /** The URL of the page on which a person accepts an invitation. The token is appended. */
    readonly joinUrl: () => string;
    readonly invitation: {
      readonly subject?: string | undefined;
      readonly content_path?: string | undefined;
    };
  };
  readonly passwordChange: { readonly needsReauthentication: boolean; readonly needsCurrent: boolean };
  readonly refresh: { readonly rotation: boolean; readonly reuseIntervalMs: number };
  readonly sessions: {
    readonly timeboxMs: number;
    readonly inactivityTimeoutMs: number;
    readonly singlePerUser: boolean;
  };
  readonly requestTimeoutMs: number;
  /** The time after which guests are deleted. If undefined, guests are never deleted. */
  readonly guestLifetimeMs: number | undefined;
  readonly email: {
    readonly enabled: boolean;
    readonly autoconfirm: boolean;
    /** Whether responses conceal which accounts exist. */
    readonly hidesAccounts: boolean;
    readonly doubleConfirmChanges: boolean;
    readonly maxFrequencyMs: number;
    readonly otpLength: number;
    readonly otpExpiryMs: number;
  };
  readonly mail: {
    /** The addresses that may receive emails, in lowercase. An empty list allows every address. */
    readonly authorizedAddresses: readonly string[];
    readonly checksDomains: boolean;
    readonly invitationExpiryMs: number;
    /** Whether the links in all emails open a page on which the user must press a button. */
    readonly confirmsByButton: boolean;
    readonly brand: () => MailBrand;
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
    /** The fixed codes, by phone number. The numbers don't contain `+`. */
    readonly testCodes: ReadonlyMap<string, string>;
  };
  readonly sms: SmsConfig;
  readonly oauthServer: {
    readonly enabled: boolean;
    readonly allowsRegistration: boolean;
    /**
     * The URL of the page where users consent to an OAuth client's request. Undefined if the project has no consent
     * page.
     */
    readonly consentUrl: () => string | undefined;
  };
  readonly providers: ReadonlyMap<string, ProviderSettings>;
  readonly mfa: Config['auth']['mfa'];
  readonly passkeysEnabled: boolean;
  /** Whether users who signed in with a verified passkey must also use a second factor. */
  readonly passkeysNeedFactor: boolean;
  readonly relyingParty: () => RelyingParty;
  readonly hooks: Config['auth']['hook'] & Config['plinth']['auth']['hook'];
  /** The maximum number of emails and text messages that the whole server sends per hour. */
  readonly hourly: { readonly emails: number; readonly sms: number };
  /**
   * Whether requests are limited per IP address. False in development, because all clients then have the same IP
   * address and the local stack sends no header that distinguishes the clients.
   */
  readonly limitsByAddress: boolean;
  /** Whether OAuth clients can change a user's account with their access tokens, as in upstream. */
  readonly clientsActAsUsers: boolean;
  /** Whether failed attempts to enter a password or code are limited per account and token. */
  readonly limitsGuesses: boolean;
  readonly security: {
    /** The notices that are sent even if `[auth.email.notification]` doesn't enable them. */
    readonly notices: 'always' | 'account' | 'configured';
    /** How long users can undo a change through the link in the notice. */
    readonly undoPeriodMs: number;
    /**
     * The waiting period before lost second factors are removed. If 0, users can't request the removal of their
     * factors.
     */
    readonly factorRemovalWaitMs: number;
    readonly eventRetentionMs: number;
    /** Whether users who sign in with a password on a new device must also enter an emailed code. */
    readonly confirmsNewDevices: boolean;
    /** The waiting times after wrong passwords and codes from the same network or browser. */
    readonly lockout: LockoutRules;
  };
  readonly config: Config['auth'];
}

const smsProviders = ['twilio', 'twilio_verify', 'messagebird', 'textlocal', 'vonage'] as const;

/**
 * The settings for SMS codes, which are the same as in the local stack. Codes have 6 digits and are valid for 6000
 * seconds. On the hosted service, codes expire sooner.
 */
const smsOtp = { length: 6, expiryMs: 6_000_000 };

/** The hourly email limit if the project, like the local stack, has no email server. */
const practicallyNoLimit = 360_000;

export function settingsFrom(
  { auth, plinth, project_id }: Config,
  mode: Mode,
  apiUrl: () => string,
  hasAccountPages = true,
): Settings {
  const externalUrl = () => auth.external_url ?? `${apiUrl()}/auth/v1`;
  // Only in production, responses conceal which accounts exist. In development, responses match upstream's responses,
  // including errors of email delivery.
  const hidesAccounts = mode === 'production' && !plinth.auth.reveal_accounts;
  const provider = smsProviders.find((name) => auth.sms[name].enabled) ?? '';
  return {
    audience: 'authenticated',
    defaultRole: 'authenticated',
    adminRoles: ['service_role'],
    siteUrl: auth.site_url,
    signInUrl: plinth.account.sign_in_url ?? auth.site_url,
    redirects: redirectRules(auth.site_url, auth.additional_redirect_urls),
    externalUrl,
    issuer: () => auth.jwt_issuer ?? externalUrl(),
    accountUrl: () => `${apiUrl()}/account`,
    languages: plinth.account.languages,
    hasAccountPages,
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
    userKeys: {
      enabled: plinth.auth.api_keys.enabled,
      scopes: plinth.auth.api_keys.scopes.flatMap(parseScopes),
    },
    organizations: {
      enabled: plinth.account.organizations,
      joinUrl: () => plinth.account.organization_invitation.url ?? `${apiUrl()}/account/organizations/join`,
      invitation: plinth.account.organization_invitation,
    },
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
      invitationExpiryMs: plinth.auth.mailer.invitation_expiry,
      confirmsByButton: plinth.account.confirm_by_button,
      brand: () => ({
        name: plinth.branding.name || project_id || hostOf(auth.site_url),
        color: plinth.branding.color ?? defaultColor,
        logo: mailLogo(plinth.branding, hasAccountPages ? `${apiUrl()}/account/logo` : ''),
        // Removes a URL without a host, because such a URL doesn't work in emails.
        supportUrl: plinth.branding.support_url?.replace(/^\/.*/, '') ?? '',
      }),
    },
    phone: {
      // If no SMS provider is configured, the local stack disables phone sign-in. Plinth captures the text messages
      // instead.
      enabled: auth.sms.enable_signup,
      autoconfirm: !auth.sms.enable_confirmations,
      hidesAccounts,
      provider,
      maxFrequencyMs: auth.sms.max_frequency,
      otpLength: smsOtp.length,
      otpExpiryMs: smsOtp.expiryMs,
      template: auth.sms.template,
      testCodes: testCodesOf(auth.sms.test_otp),
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
    passkeysNeedFactor: plinth.account.passkeys_need_second_factor,
    relyingParty: () => relyingParty(auth.webauthn, auth.site_url, hasAccountPages ? apiUrl() : undefined),
    hooks: { ...auth.hook, ...plinth.auth.hook },
    hourly: {
      emails: auth.email.smtp.enabled ? auth.rate_limit.email_sent : practicallyNoLimit,
      sms: auth.rate_limit.sms_sent,
    },
    limitsByAddress: mode === 'production',
    clientsActAsUsers: plinth.auth.oauth_clients_as_users,
    limitsGuesses: plinth.auth.guess_limits,
    security: {
      notices: plinth.auth.security.notices ?? (mode === 'production' ? 'always' : 'account'),
      undoPeriodMs: plinth.auth.security.undo_period,
      factorRemovalWaitMs: plinth.auth.security.factor_removal_wait,
      eventRetentionMs: Math.max(plinth.auth.security.event_retention, plinth.auth.security.undo_period),
      confirmsNewDevices: plinth.auth.security.confirm_new_devices,
      lockout: {
        after: plinth.auth.security.lockout.after,
        firstWaitMs: plinth.auth.security.lockout.first_wait,
        maxWaitMs: plinth.auth.security.lockout.max_wait,
      },
    },
    config: auth,
  };
}

/** The image formats that email clients display, excluding SVG, which most of them don't display. */
const mailPicture = /\.(?:png|jpe?g|gif|webp)$/i;

/** Returns the URL of a logo that email clients can display, or an empty string. */
function mailLogo({ logo, logo_path: file }: Config['plinth']['branding'], ownLogo: string): string {
  if (file !== undefined) return mailPicture.test(file) ? ownLogo : '';
  if (logo === undefined || !URL.canParse(logo)) return '';
  const { protocol, pathname } = new URL(logo);
  return protocol === 'https:' && mailPicture.test(pathname) ? logo : '';
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

/**
 * Returns the URL of the project's consent page, if the project has configured a page. Otherwise, returns the URL of
 * Plinth's consent page under `apiUrl`.
 */
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

/** Returns the fixed codes by number. Numbers are normalized as in GoTrue 2.196, whose users have no `+` or spaces. */
const testCodesOf = (codes: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(codes).map(
      ([phone, code]) => [phone.replace(/^\+/, '').replaceAll(' ', ''), code] as const,
    ),
  );
