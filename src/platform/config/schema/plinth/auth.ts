/** Auth settings that config.toml doesn't have. */
import { type LanguageTag, languages, languageTags } from '../../../../base/shared/languages.ts';
import { hook } from '../auth.ts';
import {
  boolean,
  duration,
  integer,
  keysRead,
  list,
  liveSection,
  names,
  optionalBoolean,
  optionalDuration,
  optionalOneOf,
  optionalPath,
  optionalText,
  type Setting,
  secret,
  section,
  text,
} from '../define.ts';

export const auth = liveSection(
  "Auth settings that config.toml doesn't have. The names of these settings correspond to those of upstream's environment variables (`GOTRUE_…`).",
  {
    external: section('Sign-in methods.', {
      anonymous_users: section('Guests.', {
        lifetime: optionalDuration(
          'Permanently deletes guests that reach this age, together with all rows that reference them with ON DELETE CASCADE. If unset, guests are kept.',
        ),
      }),
      email: section('Email.', {
        authorized_addresses: list(
          [],
          'Sends emails only to these addresses, with or without a +label. This restriction is useful in a test environment. If empty, emails are sent to all addresses.',
        ),
      }),
    }),
    mailer: section('Email checks and invitations.', {
      invitation_expiry: duration(
        7 * 24 * 60 * 60_000,
        'Lifetime of the link in an invitation. A code ({{ .Token }}) in a custom template still expires after `auth.email.otp_expiry`.',
      ),
      email_validation_extended: boolean(
        false,
        'Rejects reserved email domains (example.com, .test) and domains without a DNS entry.',
      ),
    }),
    reveal_accounts: boolean(
      false,
      'Allows responses from `plinth serve` to reveal whether an email address or phone number belongs to an account, as in upstream. For example, a request with an unknown address then returns otp_disabled. `plinth start` always allows such responses.',
    ),
    api: section('Auth API.', {
      max_request_duration: duration(10_000, 'Time limit for a request, after which the status is 504.'),
    }),
    sessions: section('Session limits.', {
      single_per_user: boolean(false, 'Keeps only the most recently refreshed session of each user.'),
    }),
    hook: section("Hooks that config.toml doesn't have.", {
      after_user_created: hook('The hook that runs after a user is created.'),
      guest_hand_over: hook(
        "The hook that runs when a guest signs in to an existing account, before the guest is deleted. The hook must transfer the guest's rows (guest_id) to the existing account (user_id). Without this hook, guests can't keep their data.",
      ),
    }),
    webhooks: names(
      'NAME',
      'Webhooks that receive events about users, such as `user.created`. See docs/webhooks.md.',
      section('A webhook.', {
        enabled: boolean(true, 'Sends events to the webhook.'),
        url: optionalText(
          'URL that receives a POST request for each event. The URL must use HTTPS, unless it refers to this machine during development. With `plinth serve`, it must not be in a private network, unless its host is in `jobs.private_hosts`.',
        ),
        events: list(
          ['*'],
          'Types of events that the webhook receives, such as `user.created`. `session.*` includes all types of a subject, and `*` all types.',
        ),
        secret: secret(
          'Secret that signs the requests, in the form whsec_BASE64 with 24 to 64 random bytes. Separate several secrets with |, such as during a rotation.',
        ),
      }),
      { pattern: /^[a-z0-9][a-z0-9_-]{0,62}$/ },
    ),
    sms: section('Text messages.', {
      twilio: section('Twilio.', {
        content_sid: text(
          '',
          'SID of an approved WhatsApp template whose first variable is the code. If unset, the text of the message is sent without a template.',
        ),
      }),
    }),
    saml: section(
      'Single sign-on with SAML 2.0. Add connections in the Console, with `plinth sso` or with the admin API.',
      {
        enabled: boolean(false, 'Enables single sign-on with SAML 2.0.'),
        private_key: secret('RSA key (PKCS #1, base64).', {
          defaultText: 'generated at first use and stored in the data folder',
          ...keysRead,
        }),
        private_key_next: secret(
          'Private key that will replace private_key at the next rotation. The certificate of this key is already published in the SAML metadata, so that identity providers can import it before the rotation.',
          keysRead,
        ),
        allow_encrypted_assertions: boolean(
          false,
          'Accepts encrypted assertions and advertises this support in the SAML metadata.',
        ),
        enforced_domains: list(
          [],
          'Email domains whose users can sign in only with SSO. "*" includes every domain that has a connection. Passwords, codes, sign-up and other providers are rejected for these domains. Domains without a connection aren\'t affected.',
        ),
        relay_state_validity_period: duration(120_000, 'Time limit for a sign-in at the identity provider.'),
        external_url: optionalText('URL at which identity providers can reach the auth service.', {
          defaultText: 'auth.external_url',
        }),
      },
    ),
    api_keys: section('API keys that users create for their own account. See docs/machine-access.md.', {
      enabled: boolean(false, 'Lets users create API keys, and accepts these keys.'),
      scopes: list([], 'Scopes that users can choose for a key. Policies read them in the claim `scope`.'),
    }),
    oauth_clients_as_users: boolean(
      false,
      'Allows OAuth clients to change an account with their access tokens (PUT /user, factors, passkeys, identities), as in upstream.',
    ),
    guess_limits: boolean(
      true,
      'Limits wrong passwords and codes per account and per issued code, across all IP addresses. If disabled, only limits per IP address apply, as in upstream.',
    ),
    security: section('Security notices, new devices and the account timeline.', {
      notices: optionalOneOf(
        ['always', 'account', 'configured'],
        "Security notices that are emailed even if `[auth.email.notification]` in config.toml doesn't enable them. `always`: all notices. `account`: only notices about changes and sign-ins on the Account pages. `configured`: none.",
        { defaultText: '`always` with `plinth serve`, `account` with `plinth start`' },
      ),
      confirm_new_devices: boolean(
        false,
        'Requires an emailed code when users with a confirmed email address sign in with a password on a new device. Clients other than the Account pages receive the error device_not_confirmed and must then sign in with the code.',
      ),
      lockout: section(
        'Increasing waits after consecutive wrong passwords and codes, per account and network. Browsers in which the user has signed in are counted separately. The limits of the setting `guess_limits` also apply.',
        {
          after: integer(
            10,
            'Number of consecutive wrong attempts before the first wait. 0 disables the waits.',
          ),
          first_wait: duration(
            30_000,
            'Duration of the first wait. Each additional wrong attempt doubles the wait.',
          ),
          max_wait: duration(60 * 60_000, 'Longest wait.'),
        },
      ),
      undo_period: duration(7 * 24 * 60 * 60_000, `How long the "This wasn't me" link in a notice works.`),
      factor_removal_wait: duration(
        0,
        'Waiting period before lost second factors are removed, such as "72h". Users request the removal after signing in with a password, a provider or a wallet, and confirm it by email. Any use of a second factor cancels the request. 0 disables removal requests and cancels pending requests, so that only operators can remove second factors.',
      ),
      event_retention: duration(
        365 * 24 * 60 * 60_000,
        'How long entries in the account timeline and records of unused devices are kept. Must be at least as long as `undo_period`.',
      ),
    }),
    password: section('Passwords.', {
      hibp: section('Rejects passwords that have been leaked.', {
        enabled: optionalBoolean(
          "Checks passwords against the list in `list_path`. Without a list, checks passwords with a service that receives only the first five characters of a password's hash.",
          {
            defaultText:
              'true if the file in `list_path` exists. Otherwise false, so that no service is used by default',
          },
        ),
        fail_closed: boolean(
          false,
          'Rejects all passwords while the service is unavailable. If disabled, passwords are then accepted without a check.',
        ),
        user_agent: text('plinth', 'User-Agent header of requests to the service.'),
        url: text(
          'https://api.pwnedpasswords.com',
          'URL of a service with the range API of Have I Been Pwned.',
        ),
        list_path: optionalPath(
          'supabase',
          'File of sorted SHA-1 hashes, one per line, in the format that the Have I Been Pwned downloader (`haveibeenpwned-downloader`) writes. If the file is present, passwords are checked with it instead of the service.',
          { anywhere: true, defaultText: 'supabase/leaked-passwords.txt, if that file exists' },
        ),
      }),
    }),
  },
);

export const branding = liveSection('Branding of the Account pages and emails.', {
  name: optionalText('Product name.', { defaultText: 'name of the project' }),
  logo: optionalText('URL of the logo image.'),
  logo_path: optionalPath(
    'supabase',
    'Logo file, as an alternative to `logo`. The file can be an SVG, PNG, JPEG, WebP or GIF image of up to 512 KiB.',
  ),
  color: optionalText('Primary color, such as #0f766e. Contrasting colors are derived from this color.'),
  support_url: optionalText('URL of your support page.'),
  terms_url: optionalText('URL of your terms of service.'),
  privacy_url: optionalText('URL of your privacy policy.'),
  welcome: section(
    'Text below the heading of the sign-in and sign-up pages, per language. Pages in a language without a text show the text in the first language that has one, in the order of `account.languages`.',
    Object.fromEntries(
      languageTags.map((tag) => [tag, optionalText(`Text in ${languages[tag].english}.`)]),
    ) as Record<LanguageTag, Setting<string | undefined>>,
  ),
});

export const account = liveSection('The Account pages.', {
  languages: list(
    languageTags,
    'Languages of the pages, emails and text messages, as language tags. The first language is used for browsers that prefer other languages. By default, all complete languages are offered.',
  ),
  implicit_return: boolean(
    false,
    "Returns the session in the URL fragment to apps that don't send a PKCE challenge.",
  ),
  captcha_site_key: optionalText(
    "Site key from the CAPTCHA provider in auth.captcha. If set, pages with a form load the provider's script.",
  ),
  sign_in_url: optionalText(
    'URL in your app that starts a sign-in, such as "https://app.example/sign-in". Invitations and "Sign in again" link to this URL, so that users are already signed in when they reach your app. If unset, they link to the redirect URL of the app or to `site_url`. The allowed redirect URLs must include this URL.',
  ),
  require_mfa: boolean(
    false,
    "Requires a second factor when users sign in to an app. Users then can't remove their last factor on the Account pages. This setting doesn't apply to users whose organization manages how they sign in.",
  ),
  passkeys_need_second_factor: boolean(
    false,
    'Requires the second factor even if users signed in with a passkey and verified themselves with a PIN or biometrics. If disabled, a sign-in with such a passkey reaches the assurance level aal2.',
  ),
  deletion: boolean(
    false,
    'Lets users delete their account on the Account pages and with DELETE /auth/v1/user. The ON DELETE actions of foreign keys apply to rows that reference the user.',
  ),
  confirm_by_button: boolean(
    false,
    "Requires users to click a button after they open a link in an email that an app requested, so that email scanners can't use up the link. If disabled, a link is used as soon as it is opened, as in upstream.",
  ),
  organizations: boolean(
    false,
    'Adds the Account pages for organizations and the claims org_id and org_role of access tokens, and lets users email invitations. Needs the migration that `plinth organizations init` writes.',
  ),
  organization_invitation: section('The email that invites a person to an organization.', {
    subject: optionalText('Subject line.'),
    content_path: optionalPath(
      'supabase',
      'HTML file for the email body. Changes to this file apply without a restart.',
    ),
    url: optionalText(
      'URL of a page in your app on which the person accepts the invitation. The token is appended as `?token=…`.',
      { defaultText: 'the Account page /account/organizations/join' },
    ),
  }),
});
