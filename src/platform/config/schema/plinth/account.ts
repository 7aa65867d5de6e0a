import { boolean, list, liveSection, optionalPath, optionalText, section } from '../define.ts';

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
  welcome: section('Text below the heading of the sign-in and sign-up pages, per language.', {
    en: optionalText('Text in English.'),
    ar: optionalText('Text in Arabic.'),
  }),
});

export const account = liveSection('The Account pages.', {
  languages: list(
    ['en', 'ar'],
    'Languages of the pages: en, ar or both. The first language is used for browsers that prefer other languages.',
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
});
