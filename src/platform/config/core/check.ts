/** Validates combinations of settings: settings that a feature requires, and settings that conflict with each other. */

import { Cron } from 'croner';
import { hostnameOf, isLoopbackName } from '../../../base/kernel/request-origin.ts';
import { isAlertKind, isTimeZone, parseQuietHours } from '../../../base/shared/alerts.ts';
import { languages as builtInLanguages, languageTags } from '../../../base/shared/languages.ts';
import { typesOf, webhookSecretPattern } from '../../../base/shared/user-events.ts';
import type { Config } from '../schema/index.ts';

export interface CheckContext {
  readonly exists: (path: string) => boolean;
  /**
   * The names of unset environment variables that settings refer to with `env(NAME)`, by the setting's key. Used in
   * messages.
   */
  readonly unset: ReadonlyMap<string, string>;
  /** The same for the settings in plinth.toml. */
  readonly ownUnset: ReadonlyMap<string, string>;
}

type Report = (key: string, message: string) => void;

/**
 * Calls `report` for each invalid setting. As in upstream's CLI, a project must start even right after it is cloned,
 * without its secrets. Therefore, if only an environment variable or an email template is missing, this function calls
 * `warn` instead. This doesn't apply to plinth.toml.
 */
export function check(
  config: Config,
  { exists, unset, ownUnset }: CheckContext,
  report: Report,
  warn: Report,
): void {
  const need = (key: string, value: string | number | undefined, because: string) => {
    if (value !== undefined && value !== '') return;
    const name = unset.get(key);
    const ownName = ownUnset.get(key);
    if (name !== undefined) warn(key, `env(${name}) isn't set, but is required because ${because}`);
    else if (ownName !== undefined)
      report(key, `the environment variable ${ownName} isn't set, but is required because ${because}`);
    else report(key, `is required because ${because}`);
  };
  const file = (key: string, path: string | undefined) => {
    if (path !== undefined && !exists(path)) report(key, `the file ${path} doesn't exist`);
  };

  checkPorts(config, report);
  checkApi(config, need, file);
  checkTls(config, report, warn, need);
  checkPlinth(config, report, need, file);
  warnOfUnused(config.plinth, warn);
  if (config.plinth.edge_runtime.html === 'page' && config.auth.enabled)
    warn('edge_runtime.html', scriptsOfFunctions);
  if (!config.auth.enabled) return;
  need('auth.site_url', config.auth.site_url, 'auth.enabled is true');
  file('auth.signing_keys_path', config.auth.signing_keys_path);
  const { jwt_secret } = config.auth;
  if (jwt_secret !== undefined && jwt_secret.length < 16) {
    report('auth.jwt_secret', 'must have at least 16 characters');
  }
  checkFactors(config, need, report);
  checkHooks(config, need, report);
  checkWebhooks(config, need, report);
  checkAlerts(config, need, report);
  checkMailTexts(config, exists, report, warn);
  checkSmtp(config, need);
  checkSms(config, need);
  checkProviders(config, need, report);
}

const scriptsOfFunctions =
  'is "page", so scripts in pages that functions return can act as any user who is signed in to the Account pages';

type Need = (key: string, value: string | number | undefined, because: string) => void;
type File = (key: string, path: string | undefined) => void;

function checkPorts({ api, db, studio, local_smtp, plinth }: Config, report: Report): void {
  const taken = new Map<number, string>();
  const claims: [string, number, boolean][] = [
    ['api.port', api.port, true],
    ['db.port', db.port, true],
    ['studio.port', studio.port, studio.enabled],
    ['local_smtp.port', local_smtp.port, local_smtp.enabled],
    ['server.tls.http_port', plinth.server.tls.http_port ?? 0, true],
  ];
  for (const [key, port, on] of claims) {
    if (!on || port === 0) continue;
    const other = taken.get(port);
    if (other !== undefined) report(key, `port ${port} is already used by ${other}`);
    taken.set(port, key);
  }
}

function checkApi({ api }: Config, need: Need, file: File): void {
  if (!api.tls.enabled) return;
  const { cert_path, key_path } = api.tls;
  if (key_path !== undefined) need('api.tls.cert_path', cert_path, 'api.tls.key_path is set');
  if (cert_path !== undefined) need('api.tls.key_path', key_path, 'api.tls.cert_path is set');
  file('api.tls.cert_path', cert_path);
  file('api.tls.key_path', key_path);
}

/**
 * Checks that the TLS settings are compatible with each other. Only `plinth serve` checks the files that plinth.toml
 * refers to, because these files exist only on the server.
 */
function checkTls({ api, plinth }: Config, report: Report, warn: Report, need: Need): void {
  const { cert, key, acme } = plinth.server.tls;
  const own = plinth.console.tls;
  for (const [section, pair] of [
    ['server.tls', { cert, key }],
    ['console.tls', own],
  ] as const) {
    if (pair.key !== undefined) need(`${section}.cert`, pair.cert, `${section}.key is set`);
    if (pair.cert !== undefined) need(`${section}.key`, pair.key, `${section}.cert is set`);
  }
  if (own.cert !== undefined) need('server.tls.cert', cert, 'console.tls.cert is set');
  const usesAcme = acme.domains.length > 0;
  if (usesAcme) checkAcme(acme, report, need);
  if (usesAcme && cert !== undefined)
    report('server.tls.acme', "can't be combined with server.tls.cert, so remove one of them");
  const servesHttps = api.tls.enabled || cert !== undefined || usesAcme;
  if (servesHttps && api.external_url?.startsWith('http://'))
    warn('api.external_url', 'starts with http://, but the server uses HTTPS, so links in emails will fail');
}

type Acme = Config['plinth']['server']['tls']['acme'];

function checkAcme({ domains, email, directory, accept_terms, eab }: Acme, report: Report, need: Need): void {
  const invalid = domains.find((domain) => !isDomain(domain));
  if (invalid !== undefined)
    report(
      'server.tls.acme.domains',
      `"${invalid}" isn't a domain such as api.example.com. Use lowercase ASCII and no wildcards`,
    );
  if (new Set(domains).size < domains.length)
    report('server.tls.acme.domains', 'contains the same domain twice');
  if (email !== undefined && !/^[^@\s]+@[^@\s]+$/.test(email))
    report('server.tls.acme.email', 'must be an email address');
  const url = URL.canParse(directory) ? new URL(directory) : undefined;
  const isLocal = url?.protocol === 'http:' && isLoopbackName(hostnameOf(url.host) ?? '');
  if (url?.protocol !== 'https:' && !isLocal)
    report('server.tls.acme.directory', 'must start with https:// unless it refers to this machine');
  if (eab.hmac_key !== undefined)
    need('server.tls.acme.eab.kid', eab.kid, 'server.tls.acme.eab.hmac_key is set');
  if (eab.kid !== undefined)
    need('server.tls.acme.eab.hmac_key', eab.hmac_key, 'server.tls.acme.eab.kid is set');
  if (eab.hmac_key !== undefined && !/^[A-Za-z0-9+/_-]+=*$/.test(eab.hmac_key))
    report('server.tls.acme.eab.hmac_key', 'must be encoded as base64url');
  if (!accept_terms)
    report(
      'server.tls.acme.accept_terms',
      "must be true. Read the ACME server's terms of service before you accept them",
    );
}

const isDomain = (text: string): boolean =>
  text.length <= 253 && /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/.test(text);

/** Checks the Console's URL. HTTPS is required because browsers send the Sec-Fetch-Site header only to secure URLs. */
function checkConsole({ url, host }: Config['plinth']['console'], report: Report, need: Need): void {
  if (host !== undefined && !isLoopbackName(host))
    need('console.url', url, "console.host isn't a loopback address");
  if (url === undefined) return;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isOrigin = parsed !== undefined && /^https?:\/\/[^/?#@\s]+\/?$/.test(url);
  if (!isOrigin) report('console.url', 'must be a URL without a path, such as https://console.example.com');
  else if (parsed.protocol !== 'https:' && !isLoopbackName(hostnameOf(parsed.host) ?? ''))
    report('console.url', 'must start with https:// unless it refers to this machine');
}

function checkPlinth({ plinth }: Config, report: Report, need: Need, file: File): void {
  if (plinth.realtime.bus === 'nats') {
    need('realtime.nats_url', plinth.realtime.nats_url, 'realtime.bus is "nats"');
    const urls = (plinth.realtime.nats_url ?? '').split(',').map((url) => url.trim());
    if (!urls.every((url) => url === '' || /^(nats|tls|wss?):\/\/[^/\s]+$/.test(url)))
      report('realtime.nats_url', 'must contain addresses such as nats://127.0.0.1:4222');
  }
  const { backup } = plinth;
  if (backup.to !== undefined) {
    need('backup.encryption_key', backup.encryption_key, 'backup.to is set');
    if (backup.access_key_id !== undefined)
      need('backup.secret_access_key', backup.secret_access_key, 'backup.access_key_id is set');
  }
  if (!isSchedule(backup.schedule))
    report('backup.schedule', 'must be a cron expression, such as "0 3 * * *"');
  const { backend, s3, multipart_lifetime, redirect_downloads_over } = plinth.storage;
  if (multipart_lifetime < 60 * 60 * 1000) report('storage.multipart_lifetime', 'must be at least one hour');
  if (redirect_downloads_over !== undefined && backend !== 's3')
    report('storage.redirect_downloads_over', 'needs storage.backend = "s3"');
  if (backend === 's3') {
    need('storage.s3.bucket', s3.bucket, 'storage.backend is "s3"');
    if (s3.access_key_id !== undefined)
      need('storage.s3.secret_access_key', s3.secret_access_key, 'storage.s3.access_key_id is set');
    for (const name of ['endpoint', 'public_endpoint'] as const)
      if (s3[name] !== undefined && !URL.canParse(s3[name])) report(`storage.s3.${name}`, 'must be a URL');
      else if (s3[name] !== undefined && !/^https?:\/\/[^/\s]/.test(s3[name]))
        report(`storage.s3.${name}`, 'must start with https:// or http://');
  }
  const unreadable = plinth.edge_runtime.deny_net.find(
    (entry) => !/^(?:\[[\da-f:]+\]|[\w.-]+(?:\/\d{1,2})?)(?::\d{1,5})?$/i.test(entry),
  );
  if (unreadable !== undefined)
    report(
      'edge_runtime.deny_net',
      `"${unreadable}" isn't an address, IPv4 block or host; put IPv6 addresses in brackets`,
    );
  checkConsole(plinth.console, report, need);
  const { hibp } = plinth.auth.password;
  if (hibp.enabled !== false) file('auth.password.hibp.list_path', hibp.list_path);
  file('branding.logo_path', plinth.branding.logo_path);
  const { color, support_url, terms_url, privacy_url, logo } = plinth.branding;
  if (color !== undefined && !/^#[0-9a-f]{6}$/i.test(color)) {
    report('branding.color', 'must have six hexadecimal digits, such as "#0f766e"');
  }
  const { languages } = plinth.account;
  const unknown = languages.filter((language) => !Object.hasOwn(builtInLanguages, language));
  if (languages.length === 0 || unknown.length > 0) {
    report(
      'account.languages',
      `must contain at least one of ${languageTags.join(', ')} and no other language`,
    );
  }
  const links = { support_url, terms_url, privacy_url, logo };
  for (const [key, link] of Object.entries(links)) {
    if (link !== undefined && !/^(https?:\/\/|mailto:|\/(?!\/))/.test(link)) {
      report(`branding.${key}`, 'must start with https://, http://, mailto: or /');
    }
  }
}

/** Warns about settings that need another setting, because they would otherwise be ignored silently. */
function warnOfUnused({ realtime, storage, telemetry, backup }: Config['plinth'], warn: Report): void {
  if (realtime.nats_url !== undefined && realtime.bus !== 'nats')
    warn('realtime.nats_url', 'has no effect because realtime.bus isn\'t "nats"');
  if (storage.s3.bucket !== undefined && storage.backend !== 's3')
    warn(
      'storage.s3.bucket',
      'has no effect because storage.backend isn\'t "s3", so files are stored in the data folder',
    );
  if (storage.s3.public_endpoint !== undefined && storage.redirect_downloads_over === undefined)
    warn('storage.s3.public_endpoint', "has no effect because storage.redirect_downloads_over isn't set");
  if (telemetry.otlp_headers !== undefined && telemetry.otlp_endpoint === undefined)
    warn('telemetry.otlp_headers', "has no effect because telemetry.otlp_endpoint isn't set");
  if (backup.encryption_key !== undefined && backup.to === undefined)
    warn('backup.encryption_key', "has no effect because backup.to isn't set, so no backups are created");
}

function checkFactors({ auth }: Config, need: Need, report: Report): void {
  for (const factor of ['totp', 'phone', 'web_authn'] as const) {
    const { enroll_enabled, verify_enabled } = auth.mfa[factor];
    if (enroll_enabled && !verify_enabled) {
      report(`auth.mfa.${factor}.enroll_enabled`, `needs auth.mfa.${factor}.verify_enabled = true`);
    }
  }
  if (auth.captcha.enabled) {
    need('auth.captcha.provider', auth.captcha.provider, 'auth.captcha.enabled is true');
    need('auth.captcha.secret', auth.captcha.secret, 'auth.captcha.enabled is true');
  }
  // The domain defaults to the site's host, but browsers don't allow passkeys on an IP address.
  if (auth.passkey.enabled && !hasDomain(auth.site_url)) {
    const reason = 'auth.passkey.enabled is true and the host of auth.site_url is not a domain';
    need('auth.webauthn.rp_id', auth.webauthn.rp_id, reason);
  }
  const { rp_id } = auth.webauthn;
  if (rp_id !== undefined && !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(rp_id)) {
    report('auth.webauthn.rp_id', 'must be a domain without a scheme, port or path');
  }
}

const hasDomain = (address: string): boolean =>
  /^https?:/i.test(address) && URL.canParse(address) && /[a-z]$/i.test(new URL(address).hostname);

function checkHooks({ auth, plinth }: Config, need: Need, report: Report): void {
  for (const [name, hook] of Object.entries({ ...auth.hook, ...plinth.auth.hook })) {
    if (!hook.enabled) continue;
    const key = `auth.hook.${name}`;
    need(`${key}.uri`, hook.uri, `${key}.enabled is true`);
    const scheme = /^[a-z-]+(?=:\/\/)/i.exec(hook.uri ?? '')?.[0].toLowerCase();
    if (scheme === 'pg-functions') {
      if (hook.secrets !== undefined)
        report(`${key}.secrets`, "secrets can't be used with a pg-functions hook");
    } else if (scheme === 'http' || scheme === 'https') {
      if (scheme === 'http' && !isThisMachine(hook.uri)) {
        report(`${key}.uri`, "must start with https:// because it isn't on this machine");
      }
      if (hook.secrets === undefined)
        report(`${key}.secrets`, 'is required because the hook is called over HTTP');
      const wellFormed = hook.secrets
        ?.split('|')
        .every((one) => /^v1,whsec_[A-Za-z0-9+/=]{32,88}$/.test(one));
      if (wellFormed === false)
        report(`${key}.secrets`, 'must be v1,whsec_ followed by 32 to 88 base64 characters');
    } else if (hook.uri !== undefined) {
      report(`${key}.uri`, 'must start with pg-functions://, http:// or https://');
    }
  }
}

/** Checks the webhooks that receive events about users. */
function checkWebhooks({ plinth }: Config, need: Need, report: Report): void {
  for (const [name, { enabled, url, events, secret }] of Object.entries(plinth.auth.webhooks)) {
    if (!enabled) continue;
    const key = `auth.webhooks.${name}`;
    need(`${key}.url`, url, `${key} is enabled`);
    need(`${key}.secret`, secret, `${key} is enabled`);
    const parsed = url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
    const isLocal = parsed?.protocol === 'http:' && isLoopbackName(hostnameOf(parsed.host) ?? '');
    if (url !== undefined && parsed?.protocol !== 'https:' && !isLocal)
      report(`${key}.url`, 'must start with https:// unless it refers to this machine');
    if (parsed !== undefined && (parsed.username !== '' || parsed.password !== ''))
      report(`${key}.url`, 'must not contain a user name or password, because the Console shows the URL');
    if (events.length === 0)
      report(`${key}.events`, 'must contain at least one event type, such as "user.*"');
    for (const pattern of events)
      if (typesOf(pattern).length === 0)
        report(`${key}.events`, `"${pattern}" isn't an event type; see docs/webhooks.md`);
    const isSecret = (text: string): boolean => webhookSecretPattern.test(text.trim());
    if (secret !== undefined && secret !== '' && !secret.split('|').every(isSecret))
      report(`${key}.secret`, 'must be whsec_ followed by the base64 of 24 to 64 bytes');
  }
}

/** Checks the receivers of alerts. */
function checkAlerts({ plinth }: Config, need: Need, report: Report): void {
  for (const [name, receiver] of Object.entries(plinth.alerts.receivers)) {
    const { enabled, kind, to, url, secret, problems, quiet_hours, time_zone } = receiver;
    if (!enabled) continue;
    const key = `alerts.receivers.${name}`;
    if (kind === 'email' && to.length === 0) report(`${key}.to`, 'must contain at least one email address');
    for (const address of to)
      if (!/^[^\s@,]+@[^\s@,]+$/.test(address)) report(`${key}.to`, `"${address}" isn't an email address`);
    if (kind !== 'email') {
      need(`${key}.url`, url, `${key} is enabled`);
      const parsed = url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
      const isLocal = parsed?.protocol === 'http:' && isLoopbackName(hostnameOf(parsed.host) ?? '');
      if (url !== undefined && url !== '' && parsed?.protocol !== 'https:' && !isLocal)
        report(`${key}.url`, 'must start with https:// unless it refers to this machine');
    }
    const isSecret = (text: string): boolean => webhookSecretPattern.test(text.trim());
    if (kind === 'webhook' && secret !== undefined && secret !== '' && !secret.split('|').every(isSecret))
      report(`${key}.secret`, 'must be whsec_ followed by the base64 of 24 to 64 bytes');
    for (const problem of problems)
      if (problem !== '*' && !isAlertKind(problem))
        report(`${key}.problems`, `"${problem}" isn't a kind of problem; see docs/alerts.md`);
    if (quiet_hours !== '' && parseQuietHours(quiet_hours) === undefined)
      report(`${key}.quiet_hours`, 'must be two times such as "22:00-07:00"');
    if (!isTimeZone(time_zone)) report(`${key}.time_zone`, `"${time_zone}" isn't a time zone`);
  }
}

const localHosts = new Set(['localhost', '127.0.0.1', '[::1]', 'host.docker.internal']);

const isThisMachine = (address = ''): boolean =>
  URL.canParse(address) && localHosts.has(new URL(address).hostname);

function checkMailTexts(
  { auth }: Config,
  exists: CheckContext['exists'],
  report: Report,
  warn: Report,
): void {
  for (const kind of ['template', 'notification'] as const) {
    for (const [name, mail] of Object.entries(auth.email[kind])) {
      const key = `auth.email.${kind}.${name}`;
      if ('enabled' in mail && mail.enabled === false) continue;
      if (mail.content !== undefined && mail.content_path === undefined) {
        report(`${key}.content`, 'write the text to a file and set content_path to its path');
      }
      const path = mail.content_path;
      if (path !== undefined && !exists(path))
        warn(`${key}.content_path`, `the file ${path} doesn't exist, so the built-in text is sent`);
    }
  }
}

function checkSmtp({ auth }: Config, need: Need): void {
  const { smtp } = auth.email;
  if (!smtp.enabled) return;
  const because = 'auth.email.smtp is enabled';
  need('auth.email.smtp.host', smtp.host, because);
  need('auth.email.smtp.port', smtp.port, because);
  need('auth.email.smtp.admin_email', smtp.admin_email, because);
  if (smtp.user) need('auth.email.smtp.pass', smtp.pass, 'auth.email.smtp.user is set');
}

const smsNeeds = {
  twilio: ['account_sid', 'message_service_sid', 'auth_token'],
  twilio_verify: ['account_sid', 'message_service_sid', 'auth_token'],
  messagebird: ['originator', 'access_key'],
  textlocal: ['sender', 'api_key'],
  vonage: ['from', 'api_key', 'api_secret'],
} as const;

function checkSms({ auth }: Config, need: Need): void {
  for (const [name, keys] of Object.entries(smsNeeds)) {
    const provider = auth.sms[name as keyof typeof smsNeeds] as Readonly<Record<string, unknown>>;
    if (provider.enabled !== true) continue;
    for (const key of keys) {
      need(`auth.sms.${name}.${key}`, provider[key] as string | undefined, `auth.sms.${name} is enabled`);
    }
  }
}

const thirdPartyNeeds = {
  firebase: ['project_id'],
  auth0: ['tenant'],
  aws_cognito: ['user_pool_id', 'user_pool_region'],
  clerk: ['domain'],
  workos: ['issuer_url'],
} as const;

const clerkDomain = /^(clerk(\.[a-z0-9-]+){2,}|([a-z0-9-]+\.)+clerk\.accounts\.dev)$/;

function checkProviders({ auth }: Config, need: Need, report: Report): void {
  for (const [name, provider] of Object.entries(auth.external)) {
    if (!provider.enabled) continue;
    const because = `auth.external.${name} is enabled`;
    need(`auth.external.${name}.client_id`, provider.client_id, because);
    if (name !== 'apple' && name !== 'google') need(`auth.external.${name}.secret`, provider.secret, because);
  }

  const issuers = Object.entries(auth.third_party).filter(([, issuer]) => issuer.enabled);
  for (const [name, issuer] of issuers) {
    const values = issuer as Readonly<Record<string, unknown>>;
    for (const key of thirdPartyNeeds[name as keyof typeof thirdPartyNeeds]) {
      const dotted = `auth.third_party.${name}.${key}`;
      need(dotted, values[key] as string | undefined, `auth.third_party.${name} is enabled`);
    }
  }
  const [, second] = issuers;
  if (second !== undefined) {
    report(`auth.third_party.${second[0]}.enabled`, 'only one third-party issuer can be enabled');
  }
  const { clerk } = auth.third_party;
  if (clerk.enabled && clerk.domain !== undefined && !clerkDomain.test(clerk.domain)) {
    report('auth.third_party.clerk.domain', 'must look like clerk.example.com or example.clerk.accounts.dev');
  }
}

function isSchedule(text: string): boolean {
  try {
    new Cron(text, { paused: true });
    return true;
  } catch {
    return false;
  }
}
