import {
  boolean,
  integer,
  list,
  notYet,
  optionalBoolean,
  optionalPath,
  optionalText,
  port,
  section,
} from './define.ts';

export const api = section('The one public port and what the REST service shows.', {
  enabled: boolean(true, 'Serves the REST API.'),
  port: port(54321, 'Port of everything over HTTP.'),
  external_url: optionalText('Address under which clients reach the API.', {
    defaultText: 'http(s)://127.0.0.1:PORT',
  }),
  schemas: list(
    ['public', 'graphql_public'],
    'Schemas with REST endpoints; the first is the one requests get that name none. An empty list means public.',
  ),
  extra_search_path: list(['public', 'extensions'], 'Schemas added to the search path of every request.'),
  max_rows: integer(1000, 'Most rows that one answer holds.'),
  auto_expose_new_tables: optionalBoolean(
    'False: new tables in public are reachable for anon, authenticated and service_role only after a GRANT.',
    { defaultText: 'true' },
  ),
  tls: section(
    'HTTPS on the public port.',
    {
      enabled: boolean(false, 'Speaks HTTPS, with a certificate made at first start unless a pair is given.'),
      cert_path: optionalPath('supabase', 'Certificate in PEM.', { anywhere: true }),
      key_path: optionalPath('supabase', 'Private key of the certificate in PEM.', { anywhere: true }),
    },
    notYet,
  ),
});
