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

export const api = section('The public port and the REST service.', {
  enabled: boolean(true, 'Serves the REST API.'),
  port: port(54321, 'Port for all HTTP services.'),
  external_url: optionalText('Public URL of the API.', {
    defaultText: 'http(s)://127.0.0.1:PORT',
  }),
  schemas: list(
    ['public', 'graphql_public'],
    'Schemas exposed over REST. The first is the default schema of requests. An empty list means public.',
  ),
  extra_search_path: list(['public', 'extensions'], 'Extra schemas in the search path of every request.'),
  max_rows: integer(1000, 'Row limit of a response.'),
  auto_expose_new_tables: optionalBoolean(
    'If false, anon, authenticated and service_role need a GRANT to access new tables in public.',
    { defaultText: 'true' },
  ),
  tls: section(
    'HTTPS on the public port.',
    {
      enabled: boolean(
        false,
        'Serves HTTPS. Without cert_path and key_path, a certificate is generated at first start.',
      ),
      cert_path: optionalPath('supabase', 'Certificate file (PEM).', { anywhere: true }),
      key_path: optionalPath('supabase', 'Private key file for the certificate (PEM).', { anywhere: true }),
    },
    notYet,
  ),
});
