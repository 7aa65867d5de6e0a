/** Our own settings, in `supabase/plinth.toml`: `config.toml` never gains a key that the upstream CLI refuses. */
import { boolean, integer, list, optionalText, section, text } from './define.ts';

export const plinthSchema = section("Plinth's own settings.", {
  branding: section('How the Account pages and mails look.', {
    name: optionalText('Name of the product.', { defaultText: 'the project_id' }),
    logo: optionalText('Address of the logo.'),
    color: optionalText('Main colour, for example #0f766e; contrast is computed from it.'),
    support_url: optionalText('Where users find help.'),
    terms_url: optionalText('Terms of service.'),
    privacy_url: optionalText('Privacy policy.'),
  }),
  account: section('The Account pages.', {
    implicit_return: boolean(
      false,
      'An app that sends no PKCE challenge gets its session in the fragment of the address it is returned to.',
    ),
  }),
  server: section('The public port.', {
    host: text('127.0.0.1', 'Address to listen on; beyond loopback only `plinth serve` does.'),
    trusted_proxies: list([], 'Addresses or blocks whose X-Forwarded-* headers are believed.'),
  }),
  rest: section('The REST service.', {
    connections: integer(4, 'Connections of the request path to PostgreSQL.', { min: 1, max: 100 }),
  }),
  safe_update: section('A guard against changing every row by accident.', {
    enabled: boolean(true, 'Refuses PATCH and DELETE without a filter.'),
  }),
});
