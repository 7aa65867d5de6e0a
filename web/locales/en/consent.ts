/**
 * Interface text for the consent page and the list of connected apps, as ICU messages. `{name}` is the product name,
 * and `{app}` is the name of the app that requests access.
 */
export const messages = {
  'consent.asks': '{app} wants to use your {name} account.',
  'consent.nameless': 'An unnamed app',
  'consent.site': 'Website: {host}',
  'consent.unvetted': '{name} hasn’t verified this app. Allow access only if you started this request.',
  'consent.gets': 'If you allow access, this app can',
  'consent.scope-act': 'see and change everything you can in {name}',
  'consent.scope-openid': 'recognize you when you come back',
  'consent.scope-email': 'see your email address',
  'consent.scope-profile': 'see your profile, such as your name and picture',
  'consent.scope-phone': 'see your phone number',
  'consent.scope-stay': 'stay connected until you remove access',
  'consent.back': 'You’ll be redirected to {place}.',
  'consent.place-device': 'an app on this device ({scheme})',
  'consent.as': 'Signed in as {who}',
  'consent.guest': 'Signed in as a guest',
  'consent.other': 'Use another account',
  'consent.allow': 'Allow',
  'consent.deny': 'Don’t allow',
  'consent.leaving': 'Redirecting you to {place}. If nothing happens, you can close this page.',
  'consent.missing':
    'This page appears when an app requests access, but this address doesn’t contain a request.',
  'consent.account': 'Go to your account',

  'apps.title': 'Connected apps',
  'apps.intro': 'Apps you’ve allowed to use your account',
  'apps.none': 'No connected apps',
  'apps.since': 'Allowed {when}',
  'apps.remove': 'Remove access',
  'apps.remove-what': 'Remove access for {app}',
  'apps.removed': '{app} can’t use your account anymore.',
} as const;
