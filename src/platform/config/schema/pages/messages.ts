/** The settings pages for emails and text messages. */
import { type PagePart, type PageSpec, under } from './types.ts';

const templates: readonly (readonly [name: string, title: string, words: string])[] = [
  ['confirmation', 'Confirm sign-up', 'verify email address signup'],
  ['invite', 'Invitation', 'invite user'],
  ['magic_link', 'Magic link', 'sign-in login passwordless'],
  ['recovery', 'Reset password', 'recover forgot password'],
  ['email_change', 'Confirm a new email address', 'change address'],
  ['reauthentication', 'Verification code', 'reauthentication confirm identity'],
];

const notifications: readonly (readonly [name: string, title: string])[] = [
  ['password_changed', 'Password changed'],
  ['email_changed', 'Email address changed'],
  ['phone_changed', 'Phone number changed'],
  ['identity_linked', 'Sign-in method added'],
  ['identity_unlinked', 'Sign-in method removed'],
  ['mfa_factor_enrolled', 'Second factor added'],
  ['mfa_factor_unenrolled', 'Second factor removed'],
];

const templatePart = ([name, title, words]: (typeof templates)[number]): PagePart => ({
  title,
  panel: { kind: 'template', name },
  settings: under(`auth.email.template.${name}`, [
    ['subject', `${title}: subject`, { words: `email template ${words}` }],
    ['content_path', `${title}: template file`, { words: `email html body ${words}` }],
  ]),
});

const organizationPart: PagePart = {
  title: 'Invitation to an organization',
  panel: { kind: 'template', name: 'organization_invitation' },
  settings: under('account.organization_invitation', [
    ['subject', 'Organization invitation: subject', { words: 'email template team invite' }],
    ['content_path', 'Organization invitation: template file', { words: 'email html body team invite' }],
    ['url', 'Organization invitation: page', { words: 'link join team invite' }],
  ]),
};

const notificationPart = ([name, title]: (typeof notifications)[number]): PagePart => ({
  title,
  panel: { kind: 'template', name: `${name}_notification` },
  settings: under(`auth.email.notification.${name}`, [
    ['enabled', `${title}: send this notification`, { words: 'email notice alert' }],
    ['subject', `${title}: subject`, { words: 'email notice alert' }],
    ['content_path', `${title}: template file`, { words: 'email notice alert html body' }],
  ]),
});

const smsProvider = (
  name: string,
  title: string,
  settings: readonly (readonly [string, string])[],
): PagePart => ({
  title,
  isRare: true,
  settings: under(
    `auth.sms.${name}`,
    [['enabled', `Send with ${title}`] as const, ...settings].map(([key, label]) => [
      key,
      label,
      { words: 'sms text message provider' },
    ]),
  ),
});

export const messagePages: readonly PageSpec[] = [
  {
    id: 'email',
    group: 'messages',
    title: 'Email',
    text: 'The server that sends emails, and who receives them.',
    words: 'mail smtp',
    parts: [
      {
        title: 'SMTP server',
        text: 'Without an SMTP server, emails are captured in the inbox.',
        settings: under('auth.email.smtp', [
          ['enabled', 'Send emails through an SMTP server', { words: 'mail server sendgrid ses postmark' }],
          ['host', 'SMTP host', { words: 'mail server' }],
          ['port', 'SMTP port', { words: 'mail server' }],
          ['user', 'SMTP username', { words: 'mail server login' }],
          ['pass', 'SMTP password', { words: 'mail server' }],
          ['admin_email', 'Sender address', { words: 'from mail' }],
          ['sender_name', 'Sender name', { words: 'from mail' }],
        ]),
        panel: { kind: 'test-mail' },
      },
      {
        title: 'Recipients',
        settings: [
          [
            'auth.external.email.authorized_addresses',
            'Send emails only to these addresses',
            { words: 'allowlist test staging' },
          ],
          [
            'auth.mailer.email_validation_extended',
            'Reject addresses that can’t receive email',
            { words: 'validation domain dns mx' },
          ],
        ],
      },
      {
        title: 'Captured inbox',
        isRare: true,
        settings: under('local_smtp', [
          ['port', 'Port of the inbox', { words: 'mailpit inbucket' }],
          ['admin_email', 'Sender address of captured emails'],
          ['sender_name', 'Sender name of captured emails'],
        ]),
      },
    ],
  },
  {
    id: 'email-templates',
    group: 'messages',
    title: 'Email templates',
    text: 'The subject and the body of each email.',
    words: 'mail html content',
    parts: [...templates.map(templatePart), organizationPart, ...notifications.map(notificationPart)],
  },
  {
    id: 'sms',
    group: 'messages',
    title: 'SMS',
    text: 'Text messages with codes. Without a provider, they are captured in the inbox.',
    words: 'text message phone',
    parts: [
      {
        settings: [['auth.sms.template', 'Text of sign-in messages', { words: 'sms template' }]],
        panel: { kind: 'test-text' },
      },
      smsProvider('twilio', 'Twilio', [
        ['account_sid', 'Twilio account SID'],
        ['message_service_sid', 'Twilio messaging service or sender'],
        ['auth_token', 'Twilio auth token'],
        ['content_sid', 'WhatsApp template SID'],
      ]),
      smsProvider('twilio_verify', 'Twilio Verify', [
        ['account_sid', 'Twilio Verify account SID'],
        ['message_service_sid', 'Twilio Verify service'],
        ['auth_token', 'Twilio Verify auth token'],
      ]),
      smsProvider('messagebird', 'MessageBird', [
        ['originator', 'MessageBird sender'],
        ['access_key', 'MessageBird access key'],
      ]),
      smsProvider('textlocal', 'Textlocal', [
        ['sender', 'Textlocal sender'],
        ['api_key', 'Textlocal API key'],
      ]),
      smsProvider('vonage', 'Vonage', [
        ['from', 'Vonage sender'],
        ['api_key', 'Vonage API key'],
        ['api_secret', 'Vonage API secret'],
      ]),
      {
        title: 'Test phone numbers',
        names: 'auth.sms.test_otp',
        settings: [['auth.sms.test_otp.*', 'Fixed code', { words: 'sms otp test phone' }]],
      },
    ],
  },
];
