/** Interface text for API keys and signing keys, as ICU messages. */
export const messages = {
  'keys.title': 'Keys',
  'keys.known': 'These are the well-known keys for local development. “plinth serve” generates unique keys.',
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
  'keys.not-used': 'not since the server started',
  'keys.none': 'No keys yet',
  'keys.created-title': 'Key “{name}”',
  'keys.created-text': 'Copy the key now. It won’t be shown again.',
  'keys.replace-of': 'Rotate {name}',
  'keys.replace-text':
    'Rotating creates a second key of the same kind. “{name}” stays valid until you revoke it, so apps that use it keep working.',
  'keys.default-why':
    'You can’t replace a default key while the server is running. Instead, create an additional key. The default key works until the last step.',
  'keys.default-create': 'Create an additional key.',
  'keys.default-swap-publishable':
    'Use the new key in every app. Users with an older version of an app need the old key until they update.',
  'keys.default-swap-secret':
    'Use the new key on every server and in scripts. Functions receive it after the restart.',
  'keys.default-set': 'Set the new key as the default key in the settings:',
  'keys.default-restart':
    'Restart the server. Requests with the old key will be rejected, and the additional key can be revoked.',
  'keys.default-name': 'Default {name}',
  'keys.replaced-name': '{name} (new)',
  'keys.replaced-text':
    'Replace “{name}” wherever you use it, then revoke it. After that, requests with “{name}” will be rejected.',
  'keys.done': 'Done',
  'keys.revoke': 'Revoke',
  'keys.revoke-of': 'Revoke {name}',
  'keys.revoke-text': 'Requests with this key will be rejected immediately. This can’t be undone.',
  'keys.signing': 'Signing keys',
  'keys.signing-text':
    'These keys sign your users’ tokens. A standby key is published before you rotate to it, so users stay signed in.',
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
