import { mounted, opened, reasons } from './applies.ts';
import {
  boolean,
  integer,
  list,
  live,
  optionalBoolean,
  optionalPath,
  optionalText,
  port,
  restart,
  restartSection,
  section,
} from './define.ts';

export const api = section('The public port and the REST service.', {
  enabled: boolean(true, 'Serves the REST API.', mounted),
  port: port(54321, 'Port for all HTTP services.', opened),
  external_url: optionalText('Public URL of the API.', {
    defaultText: 'http(s)://127.0.0.1:PORT',
    ...restart('tokens, certificates and functions contain the URL'),
  }),
  schemas: list(
    ['public', 'graphql_public'],
    'Schemas exposed over REST. The first schema is the default for requests. An empty list means the schema public.',
    live,
  ),
  extra_search_path: list(
    ['public', 'extensions'],
    'Additional schemas in the search path of every request.',
    live,
  ),
  max_rows: integer(1000, 'Maximum number of rows in a response.', undefined, live),
  auto_expose_new_tables: optionalBoolean(
    'If disabled, anon, authenticated and service_role need a GRANT to access new tables in public.',
    { defaultText: 'true', ...live },
  ),
  tls: restartSection(reasons.opened, 'HTTPS on the public port and on the port of the Console.', {
    enabled: boolean(
      false,
      'Serves HTTPS. Without cert_path and key_path, a self-signed certificate is generated when the server first starts and stored in `.plinth/tls`.',
    ),
    cert_path: optionalPath('supabase', 'Certificate file (PEM) with the full chain.', { anywhere: true }),
    key_path: optionalPath('supabase', 'Private key file for the certificate (PEM).', { anywhere: true }),
  }),
});
