/** The settings pages for redirects, account protection and rate limits. */
import { type PageSpec, under } from './types.ts';

export const protectionPages: readonly PageSpec[] = [
  {
    id: 'urls',
    group: 'users',
    title: 'Redirect URLs',
    text: 'Where users can be sent after they sign in, and the addresses in tokens.',
    parts: [
      {
        settings: [
          [
            'auth.additional_redirect_urls',
            'Allowed redirect URLs',
            { words: 'allowlist callback deep link redirect_to' },
          ],
        ],
      },
      {
        title: 'Addresses of the auth service',
        isRare: true,
        settings: [
          ['auth.external_url', 'Public auth URL', { words: 'domain' }],
          ['auth.jwt_issuer', 'Token issuer', { words: 'jwt iss claim' }],
        ],
      },
    ],
  },
  {
    id: 'protection',
    group: 'users',
    title: 'Account protection',
    text: 'Measures against guessed passwords, bots and stolen accounts.',
    words: 'security attack brute force',
    parts: [
      {
        title: 'Bots',
        text: 'A CAPTCHA on forms for signing in and signing up.',
        settings: [
          ['auth.captcha.enabled', 'Require a CAPTCHA', { words: 'bot spam abuse' }],
          [
            'auth.captcha.provider',
            'CAPTCHA provider',
            { options: { hcaptcha: 'hCaptcha', turnstile: 'Cloudflare Turnstile' } },
          ],
          ['account.captcha_site_key', 'CAPTCHA site key', { words: 'public key' }],
          ['auth.captcha.secret', 'CAPTCHA secret key'],
        ],
      },
      {
        title: 'New devices and notices',
        settings: under('auth.security', [
          [
            'confirm_new_devices',
            'Confirm new devices by email',
            { words: 'device verification suspicious' },
          ],
          [
            'notices',
            'Security notices by email',
            {
              words: 'alert notification',
              options: {
                always: 'All notices',
                account: 'Only about changes on the Account pages',
                configured: 'Only those that are on under Email templates',
              },
            },
          ],
          ['undo_period', 'Period for undoing a change', { words: 'revert this wasn’t me' }],
          [
            'factor_removal_wait',
            'Wait before lost second factors are removed',
            { words: 'mfa 2fa phone reset' },
          ],
          ['event_retention', 'Keep the account timeline for', { words: 'history retention activity' }],
        ]),
      },
      {
        title: 'Wrong passwords and codes',
        settings: [
          ['auth.guess_limits', 'Limit wrong passwords and codes', { words: 'brute force guesses attempts' }],
          [
            'auth.security.lockout.after',
            'Wrong attempts before the first wait',
            { unit: 'attempts', words: 'lockout lock brute force' },
          ],
          ['auth.security.lockout.first_wait', 'First wait', { words: 'lockout lock delay' }],
          ['auth.security.lockout.max_wait', 'Longest wait', { words: 'lockout lock delay' }],
        ],
      },
      {
        title: 'API keys of users',
        text: 'Keys with which users read and change their data from scripts. See docs/machine-access.md.',
        settings: under('auth.api_keys', [
          ['enabled', 'Users can create API keys', { words: 'personal access token user key' }],
          ['scopes', 'Scopes', { words: 'permission' }],
        ]),
      },
      {
        title: 'Compatibility with upstream',
        isRare: true,
        settings: [
          ['auth.reveal_accounts', 'Responses reveal whether an account exists', { words: 'enumeration' }],
          ['auth.oauth_clients_as_users', 'OAuth clients can change accounts', { words: 'access token' }],
        ],
      },
    ],
  },
  {
    id: 'rate-limits',
    group: 'users',
    title: 'Rate limits',
    text: 'How often users can sign in, refresh sessions and request messages. Limits per IP address apply only with `plinth serve`.',
    words: 'throttle too many requests 429',
    parts: [
      {
        title: 'Messages',
        settings: [
          ['auth.rate_limit.email_sent', 'Emails', { unit: 'per hour', words: 'mail sent' }],
          ['auth.email.max_frequency', 'Time between emails to the same user', { words: 'mail frequency' }],
          ['auth.rate_limit.sms_sent', 'Text messages', { unit: 'per hour', words: 'sms sent' }],
          [
            'auth.sms.max_frequency',
            'Time between text messages to the same user',
            { words: 'sms frequency' },
          ],
        ],
      },
      {
        title: 'Requests per IP address',
        settings: under('auth.rate_limit', [
          ['sign_in_sign_ups', 'Sign-ups and requested messages', { unit: 'per 5 minutes', words: 'login' }],
          [
            'token_verifications',
            'Verified codes and links',
            { unit: 'per 5 minutes', words: 'otp magic link' },
          ],
          [
            'token_refresh',
            'Sign-ins and session refreshes',
            { unit: 'per 5 minutes', words: 'login token' },
          ],
          ['anonymous_users', 'Guest sign-ins', { unit: 'per hour', words: 'anonymous' }],
          ['web3', 'Wallet sign-ins', { unit: 'per 5 minutes', words: 'web3 crypto' }],
        ]),
      },
      {
        title: 'Time limit',
        isRare: true,
        settings: [['auth.api.max_request_duration', 'Timeout of auth requests', { words: '504 slow' }]],
      },
    ],
  },
];
