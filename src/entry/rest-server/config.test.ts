import { describe, expect, test } from 'vitest';
import { type ConfigSources, readServerConfig, ServerConfigError } from './config.ts';
import { configText } from './printed.ts';

const sources = (
  environment: Record<string, string> = {},
  file = '',
  database: Record<string, string> = {},
): ConfigSources => ({
  environment: { PGHOST: '127.0.0.1', ...environment },
  path: '/a.conf',
  readFile: (path) => {
    if (path === '/a.conf') return Buffer.from(file);
    if (path === '/secret') return Buffer.from('0123456789012345678901234567890123456789\n');
    throw Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT' });
  },
  database: new Map(Object.entries(database)),
});

const read = (...given: Parameters<typeof sources>) => readServerConfig(sources(...given));
const dump = (...given: Parameters<typeof sources>) => configText(read(...given)).split('\n');

function faultsOf(...given: Parameters<typeof sources>): string {
  try {
    read(...given);
  } catch (error) {
    if (error instanceof ServerConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('the precedence of sources', () => {
  const file = 'db-schemas = "f"\ndb-max-rows = 1\nlog-level = "warn"\ndb-pool = 3';

  test('the database overrides the environment, which overrides the file', () => {
    expect(read({}, file).rest).toMatchObject({ schemas: ['f'], maxRows: 1 });
    expect(read({ PGRST_DB_SCHEMAS: 'e1, e2' }, file).rest).toMatchObject({
      schemas: ['e1', 'e2'],
      maxRows: 1,
    });
    expect(read({ PGRST_DB_SCHEMAS: 'e' }, file, { 'pgrst.db_schemas': 'd' }).rest.schemas).toEqual(['d']);
  });

  test('process settings can’t be stored in the database', () => {
    const config = read({}, file, { 'pgrst.log_level': 'debug', 'pgrst.db_pool': '99', 'pgrst.db_uri': 'x' });
    expect(config).toMatchObject({ logLevel: 'warn', pool: { connections: 3 } });
  });

  test('an empty value unsets a setting, even one in the file, but an empty search path is a value', () => {
    expect(read({ PGRST_DB_MAX_ROWS: '' }, file).rest.maxRows).toBeUndefined();
    expect(read({ PGRST_LOG_LEVEL: '' }, file).logLevel).toBe('error');
    expect(read({ PGRST_DB_EXTRA_SEARCH_PATH: '' }).rest.extraSearchPath).toEqual([]);
    expect(read().rest.extraSearchPath).toEqual(['public']);
  });

  test('former names are used if the current name isn’t set', () => {
    expect(read({}, 'db-schema = "a"\nmax-rows = 5').rest).toMatchObject({ schemas: ['a'], maxRows: 5 });
    expect(read({ PGRST_DB_SCHEMA: 'a' }, 'db-schemas = "b"').rest.schemas).toEqual(['b']);
    expect(read({}, 'db-pool-timeout = 7').pool.idleTimeoutMs).toBe(7000);
  });

  test('app.settings are read from the file and the environment', () => {
    const config = read(
      { PGRST_APP_SETTINGS_A: 'env' },
      'app.settings.a = "file"\napp.settings.A = "x"\napp.settings.n = 5',
    );
    expect(config.rest.appSettings).toEqual([
      ['app.settings.A', 'env'],
      ['app.settings.a', 'file'],
      ['app.settings.n', '5'],
    ]);
  });
});

test.each(['true', 'TRUE', '"true"', '1', '17'])('%s is true', (value) => {
  expect(read({ PGRST_DB_PLAN_ENABLED: value }).rest.planEnabled).toBe(true);
});

test.each([
  ['PGRST_DB_MAX_ROWS', 'many', 'db-max-rows (PGRST_DB_MAX_ROWS): "many" must be a whole number 0 or more'],
  ['PGRST_DB_POOL', '0', '"0" must be a whole number 1 or more'],
  ['PGRST_SERVER_PORT', '70000', 'from 0 to 65535'],
  ['PGRST_LOG_LEVEL', 'loud', 'must be one of crit, error, warn, info, debug'],
  ['PGRST_DB_TX_END', 'random', 'must be one of commit, commit-allow-override'],
  ['PGRST_DB_CONFIG', 'maybe', 'must be true or false'],
  ['PGRST_SERVER_UNIX_SOCKET_MODE', '599', 'between 600 and 777'],
  ['PGRST_SERVER_UNIX_SOCKET_MODE', '800', 'must be a file mode'],
  ['PGRST_OPENAPI_SERVER_PROXY_URI', 'htp:/@@x', 'https://example.com:8443/basePath'],
  ['PGRST_JWT_AUD', 'http://%%x', 'a valid URI'],
  ['PGRST_JWT_ROLE_CLAIM_KEY', 'role.other', 'failed to parse role-claim-key value (role.other)'],
  ['PGRST_JWT_SECRET', 'short', 'it has 5 bytes, but a secret must have at least 32'],
  ['PGRST_JWT_SECRET', '{"kty":"RSA","alg":"HS256"}', 'jwt-secret is invalid'],
  ['PGRST_JWT_SECRET', '@/missing', "open '/missing'"],
  ['PGRST_DB_SCHEMAS', 'a, pg_catalog', "db-schemas doesn't allow the schema 'pg_catalog'"],
  ['PGRST_DB_URI', 'postgres://u:hunter2@h:x/d', 'port in the connection string must be a number'],
  ['PGRST_ADMIN_SERVER_PORT', '3000', "admin-server-port can't be the same as server-port"],
])('%s=%s is rejected with a sentence', (name, value, words) => {
  const said = faultsOf({ [name]: value });
  expect(said).toContain(words);
  expect(said).not.toContain('hunter2');
});

test('all errors are reported together', () => {
  expect(faultsOf({ PGRST_DB_POOL: 'x', PGRST_LOG_LEVEL: 'y' }, '').split('\n')).toHaveLength(2);
});

test('unknown names cause a warning with the closest setting', () => {
  expect(read({ PGRST_DB_SCEMAS: 'x', PGRST_ZZZ: '1', OTHER: 'x' }, 'sever-port = 1').warnings).toEqual([
    "sever-port in the file isn't a setting and has no effect; did you mean server-port?",
    "PGRST_DB_SCEMAS isn't a setting and has no effect; did you mean PGRST_DB_SCHEMAS?",
    "PGRST_ZZZ isn't a setting and has no effect.",
  ]);
});

describe('the setting jwt-secret', () => {
  const text = '0123456789012345678901234567890123456789';
  const keysOf = (...given: Parameters<typeof sources>) =>
    read(...given).keySet?.keys.map(({ alg, kid }) => [alg, kid]);

  test('plain text is a secret for HS256 only', () =>
    expect(keysOf({ PGRST_JWT_SECRET: text })).toEqual([['HS256', undefined]]));
  test('a file is read without its last line feed', () => {
    const { keySet } = read({ PGRST_JWT_SECRET: '@/secret' });
    expect(keySet?.keys[0]?.verifyKey).toEqual({ kind: 'secret', secret: Buffer.from(text) });
  });
  test('base64 is accepted, including the URL alphabet', () => {
    const secret = Buffer.from(`${text}??>`).toString('base64');
    for (const written of [secret, secret.replaceAll('/', '_').replaceAll('+', '-').replaceAll('=', '.')]) {
      const { keySet } = read({ PGRST_JWT_SECRET: written, PGRST_JWT_SECRET_IS_BASE64: 'true' });
      expect(keySet?.keys[0]?.verifyKey).toEqual({ kind: 'secret', secret: Buffer.from(`${text}??>`) });
    }
    expect(faultsOf({ PGRST_JWT_SECRET: 'no base-64!', PGRST_JWT_SECRET_IS_BASE64: 'true' })).toContain(
      "isn't base64",
    );
  });
  test('a key without alg supports all algorithms of its type for which it is strong enough', () => {
    const k = Buffer.from(text).toString('base64url');
    expect(keysOf({ PGRST_JWT_SECRET: JSON.stringify({ kty: 'oct', k, kid: 'a' }) })).toEqual([
      ['HS256', 'a'],
    ]);
    const long = Buffer.from(text + text).toString('base64url');
    expect(keysOf({ PGRST_JWT_SECRET: JSON.stringify({ kty: 'oct', k: long }) })).toHaveLength(3);
  });
});

describe('the setting db-uri', () => {
  test('PG* variables provide missing parts', () => {
    const environment = {
      PGHOST: 'h',
      PGPORT: '6',
      PGUSER: 'u',
      PGPASSWORD: 'p',
      PGDATABASE: 'd',
      PGSSLMODE: 'require',
    };
    expect(read(environment).connection).toMatchObject({
      host: 'h',
      port: 6,
      user: 'u',
      password: 'p',
      database: 'd',
      sslMode: 'require',
      applicationName: 'plinth rest',
    });
    const uri = 'postgres://v@i:7/e?sslmode=disable&application_name=mine';
    expect(read({ ...environment, PGRST_DB_URI: uri }).connection).toMatchObject({
      host: 'i',
      port: 7,
      user: 'v',
      password: 'p',
      database: 'e',
      sslMode: 'disable',
      applicationName: 'mine',
    });
  });
});

test('parsing a dumped configuration returns the same settings', () => {
  const file = String.raw`db-uri = "host=x password='a\"b\\c$$d'"
jwt-role-claim-key = "$$.a[?(@ == \"x\")]"
db-schemas = "a,   b"
app.settings.x = "$$1 \\ \n"
server-cors-allowed-origins = "http://a, http://b"`;
  const first = configText(read({}, file));
  expect(first).toContain('db-schemas = "a,b"');
  expect(configText(read({}, first))).toBe(first);
  expect(dump()).toContain('jwt-role-claim-key = "$$.role"');
});
