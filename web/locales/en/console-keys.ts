/** Interface text for API keys and signing keys, as ICU messages. */
export const messages = {
  'keys.title': 'Keys',
  'keys.known':
    'These are the well-known keys for local development, which can’t be rotated. “plinth serve” generates unique keys.',
  'keys.default': 'Default keys',
  'keys.default-text':
    'Use the publishable key in apps. The secret key bypasses row-level security, so keep it on servers.',
  'keys.publishable': 'Publishable key',
  'keys.secret': 'Secret key',
  'keys.anon': 'anon (legacy)',
  'keys.service-role': 'service_role (legacy)',
  'keys.jwt-secret': 'JWT secret (legacy)',
  'keys.reveal': 'Reveal',
  'keys.reveal-of': 'Reveal {name}',
  'keys.hidden': 'hidden',
  'keys.further': 'Additional keys',
  'keys.further-text':
    'Create a key for each app or machine, so that you can revoke each key separately. Only a hash of each key is stored.',
  'keys.create': 'Create key',
  'keys.name': 'Name',
  'keys.kind': 'Kind',
  'keys.kind-publishable': 'Publishable',
  'keys.kind-secret': 'Secret',
  'keys.key': 'Key',
  'keys.created': 'Created',
  'keys.last-used': 'Last used',
  'keys.not-used': 'not since startup',
  'keys.none': 'No keys yet',
  'keys.created-title': 'Key “{name}”',
  'keys.created-text': 'Copy the key now. It won’t be shown again.',
  'keys.replace-of': 'Rotate {name}',
  'keys.replace-text':
    'Rotating creates a second key of the same kind. “{name}” stays valid until you revoke it, so apps that use it keep working.',
  'keys.rotate-default-text':
    'Rotating generates a new key and makes it the default key. The old key stays valid as an additional key until you revoke it.',
  'keys.rotated-title': '{name} rotated',
  'keys.rotated-publishable': 'Use this key in your apps. Revoke the old key when no app uses it anymore.',
  'keys.rotated-secret':
    'Use this key on your servers. Functions receive it automatically. Revoke the old key when no server uses it anymore.',
  'keys.old': 'Old key',
  'keys.was-default': 'previous default',
  'keys.setting-why': 'A setting defines this key, so it can’t be rotated here.',
  'keys.setting-create-publishable': 'Create an additional key and use it in your apps.',
  'keys.setting-create-secret': 'Create an additional key and use it on your servers.',
  'keys.setting-change':
    'Change this setting to the new key and restart the server. Requests with the old key will then be rejected:',
  'keys.legacy-rotated':
    'The legacy anon and service_role keys change when you rotate the signing key, unless settings define them.',
  'keys.legacy-fixed':
    'The JWT secret signs the legacy anon and service_role keys. To invalidate them, set auth.jwt_secret to a new secret and restart the server. Signed storage URLs also become invalid.',
  'keys.default-name': 'Default {name}',
  'keys.replaced-name': '{name} (new)',
  'keys.replaced-text':
    'Replace “{name}” wherever you use it, then revoke it. After that, requests with “{name}” will be rejected.',
  'keys.done': 'Done',
  'keys.revoke': 'Revoke',
  'keys.revoke-of': 'Revoke {name}',
  'keys.revoke-text': 'Requests with this key will be rejected immediately. This can’t be undone.',
  'keys.signing': 'Signing keys',
  'keys.signing-text': 'These keys sign your users’ tokens.',
  'keys.signing-next-standby':
    'To rotate, add a standby key, which is published immediately. Then wait 10 minutes, because clients cache the key list.',
  'keys.signing-next-rotate':
    'Rotate to the standby key 10 minutes after you added it, so that users stay signed in.',
  'keys.signing-next-revoke':
    'Revoke the previous key when its last token has expired, {minutes, plural, one {# minute} other {# minutes}} after the rotation.',
  'keys.signing-fixed':
    'Tokens are signed with the well-known local development key. To manage signing keys here, set auth.signing_keys_path in config.toml.',
  'keys.standby': 'Add standby key',
  'keys.algorithm': 'Algorithm',
  'keys.state': 'State',
  'keys.state-in-use': 'in use',
  'keys.state-standby': 'standby',
  'keys.state-previous': 'previous',
  'keys.state-secret': 'JWT secret',
  'keys.rotate': 'Rotate',
  'keys.rotate-of': 'Rotate to {kid}',
  'keys.rotate-text':
    'New tokens will be signed with this key. Clients may cache the key list for 10 minutes, so keep a new key on standby for at least that long.',
  'keys.rotate-legacy-text':
    'The legacy anon and service_role keys will be signed again, so their values above will change unless config.toml sets them. The old values and existing access tokens stay valid until you revoke the previous signing key.',
  'keys.revoke-signing-text':
    'Tokens signed with this key will be rejected immediately. To keep users signed in, wait until the last of these tokens expires, {minutes, plural, one {# minute} other {# minutes}} after the rotation.',
  'keys.revoke-legacy-text':
    'The legacy anon and service_role keys that were signed with this key will be rejected too. Before you revoke it, replace them in your apps and servers with the current values.',
  'keys.uses': '{count, plural, =0 {no tokens} one {# token} other {# tokens}}',
  'keys.who': 'Users with tokens signed by {kid}',
  'keys.users': '{count, plural, one {# user} other {# users}}',
} as const;
