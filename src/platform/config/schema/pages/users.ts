/** The settings pages for sign-in, sessions and account security. */
import { type PageSpec, under } from './types.ts';

export const userPages: readonly PageSpec[] = [
  {
    id: 'sign-in',
    group: 'users',
    title: 'Sign-in methods',
    text: 'How users can sign up and sign in.',
    words: 'login auth authentication register',
    parts: [
      {
        title: 'Sign-up',
        settings: [
          ['auth.enable_signup', 'Allow new users to sign up', { words: 'registration register disable' }],
          ['auth.enable_anonymous_sign_ins', 'Allow guests', { words: 'anonymous users' }],
          ['auth.external.anonymous_users.lifetime', 'Delete guests after', { words: 'anonymous cleanup' }],
          [
            'auth.enable_manual_linking',
            'Users can link sign-in methods',
            { words: 'identity linking merge' },
          ],
        ],
      },
      {
        title: 'Email',
        settings: [
          ...under('auth.email', [
            ['enable_signup', 'Sign in with email', { words: 'password magic link otp code passwordless' }],
            ['enable_confirmations', 'Confirm email addresses', { words: 'verify verification autoconfirm' }],
            [
              'double_confirm_changes',
              'Confirm a new address from both addresses',
              { words: 'email change verify' },
            ],
            ['otp_length', 'Code length', { unit: 'digits', words: 'email otp one-time password pin' }],
            [
              'otp_expiry',
              'Lifetime of magic links and codes',
              { unit: 'seconds', words: 'email otp expiry expire passwordless one-time password' },
            ],
          ]),
          [
            'auth.mailer.invitation_expiry',
            'Lifetime of invitations',
            { words: 'invite email expiry expire' },
          ],
        ],
      },
      {
        title: 'Phone',
        settings: under('auth.sms', [
          ['enable_signup', 'Sign in with a phone number', { words: 'sms text otp mobile' }],
          ['enable_confirmations', 'Confirm phone numbers', { words: 'sms verify verification' }],
        ]),
      },
      {
        title: 'Passkeys',
        settings: [
          ['auth.passkey.enabled', 'Passkeys', { words: 'webauthn fido biometrics face touch id' }],
          ['auth.webauthn.rp_display_name', 'Name in passkey dialogs', { words: 'webauthn relying party' }],
          ['auth.webauthn.rp_id', 'Passkey domain', { words: 'webauthn relying party rp id' }],
          ['auth.webauthn.rp_origins', 'Passkey origins', { words: 'webauthn relying party' }],
        ],
      },
      {
        title: 'Wallets',
        isRare: true,
        settings: [
          ['auth.web3.ethereum.enabled', 'Ethereum', { words: 'web3 crypto wallet metamask' }],
          ['auth.web3.solana.enabled', 'Solana', { words: 'web3 crypto wallet phantom' }],
        ],
      },
    ],
  },
  {
    id: 'passwords',
    group: 'users',
    title: 'Passwords',
    text: 'Which passwords users can choose, and how they change them.',
    parts: [
      {
        settings: [
          [
            'auth.minimum_password_length',
            'Minimum password length',
            { unit: 'characters', words: 'strength short rules policy' },
          ],
          [
            'auth.password_requirements',
            'Required characters',
            {
              words: 'password strength complexity policy symbols uppercase',
              options: {
                '': 'No requirement',
                letters_digits: 'Letters and digits',
                lower_upper_letters_digits: 'Lowercase and uppercase letters, and digits',
                lower_upper_letters_digits_symbols: 'Lowercase and uppercase letters, digits and symbols',
              },
            },
          ],
          ['auth.password.hibp.enabled', 'Reject leaked passwords', { words: 'pwned breach haveibeenpwned' }],
        ],
      },
      {
        title: 'Changing the password',
        settings: under('auth.email', [
          [
            'secure_password_change',
            'Require a recent sign-in',
            { words: 'password change reauthentication' },
          ],
          ['require_current_password', 'Require the current password', { words: 'password change old' }],
        ]),
      },
      {
        title: 'Check for leaked passwords',
        isRare: true,
        settings: under('auth.password.hibp', [
          ['fail_closed', 'Reject passwords while the service is unavailable', { words: 'pwned outage' }],
          ['list_path', 'File of leaked passwords', { words: 'pwned offline hashes' }],
          ['url', 'Service for leaked passwords', { words: 'pwned url' }],
          ['user_agent', 'User-Agent of requests to the service', { words: 'pwned' }],
        ]),
      },
    ],
  },
  {
    id: 'sessions',
    group: 'users',
    title: 'Sessions',
    text: 'How long users stay signed in.',
    words: 'logout sign out',
    parts: [
      {
        settings: [
          [
            'auth.sessions.single_per_user',
            'One session per user',
            { words: 'logout everywhere sign out all other devices single concurrent' },
          ],
          [
            'auth.sessions.timebox',
            'End sessions after',
            { words: 'logout timeout maximum lifetime expire' },
          ],
          [
            'auth.sessions.inactivity_timeout',
            'End inactive sessions after',
            { words: 'logout idle timeout expire' },
          ],
        ],
      },
      {
        title: 'Tokens',
        settings: [
          [
            'auth.jwt_expiry',
            'Lifetime of access tokens',
            { unit: 'seconds', words: 'jwt expiry expire token' },
          ],
          [
            'auth.enable_refresh_token_rotation',
            'Rotate refresh tokens',
            { words: 'reuse detection revoke' },
          ],
          [
            'auth.refresh_token_reuse_interval',
            'Grace period for used refresh tokens',
            { unit: 'seconds', words: 'reuse interval' },
          ],
        ],
      },
    ],
  },
  {
    id: 'mfa',
    group: 'users',
    title: 'Multi-factor',
    text: 'Second factors that users can add to their account.',
    words: '2fa two-factor mfa',
    parts: [
      {
        settings: [
          ['account.require_mfa', 'Require a second factor', { words: 'enforce mandatory aal2' }],
          ['auth.mfa.max_enrolled_factors', 'Factors per user', { unit: 'factors', words: 'maximum' }],
          [
            'account.passkeys_need_second_factor',
            'Require a second factor after a passkey',
            { words: 'aal2 webauthn' },
          ],
        ],
      },
      {
        title: 'Authenticator apps',
        settings: under('auth.mfa.totp', [
          [
            'enroll_enabled',
            'Users can add an authenticator app',
            { words: 'totp enroll google authenticator' },
          ],
          ['verify_enabled', 'Users can sign in with an authenticator app', { words: 'totp verify' }],
        ]),
      },
      {
        title: 'Security keys',
        settings: under('auth.mfa.web_authn', [
          ['enroll_enabled', 'Users can add a security key', { words: 'webauthn yubikey fido enroll' }],
          [
            'verify_enabled',
            'Users can sign in with a security key',
            { words: 'webauthn yubikey fido verify' },
          ],
        ]),
      },
      {
        title: 'Codes by text message',
        settings: under('auth.mfa.phone', [
          ['enroll_enabled', 'Users can add a phone', { words: 'sms enroll' }],
          ['verify_enabled', 'Users can sign in with a phone', { words: 'sms verify' }],
          ['template', 'Text of the message', { words: 'sms template' }],
          ['otp_length', 'Length of codes for a second factor', { unit: 'digits', words: 'sms otp' }],
          ['max_frequency', 'Time between messages for a second factor', { words: 'sms frequency throttle' }],
        ]),
      },
    ],
  },
];
