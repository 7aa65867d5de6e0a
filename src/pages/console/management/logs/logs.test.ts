import { describe, expect, test } from 'vitest';
import { evaluate, isLike } from './evaluate.ts';
import { parseLogQuery } from './parse.ts';
import { recordsOf } from './records.ts';

const at = Date.UTC(2026, 0, 1, 12);
const request = (service: string, path: string, status: number, minutes: number) => ({
  at: at + minutes * 60_000,
  level: 'info' as const,
  kind: 'request' as const,
  service,
  message: '',
  requestId: `r${minutes}`,
  method: 'GET',
  path,
  status,
  durationMs: 10 * minutes,
});
const records = [
  request('rest', '/rest/v1/todos', 200, 1),
  request('rest', '/rest/v1/todos', 401, 2),
  request('auth', '/auth/v1/token', 400, 3),
  request('functions', '/functions/v1/hello', 500, 4),
  request('console', '/console/api/home', 200, 5),
  {
    at: at + 6000,
    level: 'warn' as const,
    kind: 'line' as const,
    service: 'functions',
    message: 'boom',
    fields: { function: 'hello' },
  },
].flatMap(recordsOf);

const run = (sql: string) => evaluate(parseLogQuery(sql), records, at + 600_000);

describe('a log query', () => {
  test('selects attributes of a source as upstream does in ClickHouse', () => {
    expect(
      run(`select id, log_attributes['request.path'] as path, log_attributes['response.status_code'] as status_code
           from logs where source = 'edge_logs' order by timestamp desc limit 2`),
    ).toMatchObject([
      { path: '/functions/v1/hello', status_code: 500 },
      { path: '/auth/v1/token', status_code: 400 },
    ]);
    expect(run(`select event_message from logs where source = 'function_logs'`)).toEqual([
      { event_message: 'boom' },
    ]);
    expect(run(`select 1 from logs where source = 'workflow_run_logs'`)).toEqual([]);
  });

  test('selects from unnested metadata as in BigQuery', () => {
    expect(
      run(`select edge_logs.timestamp, request.path, response.status_code from edge_logs
           cross join unnest(metadata) as m cross join unnest(m.request) as request
           cross join unnest(m.response) as response
           where response.status_code >= 400 and request.path like '/rest/%'`),
    ).toEqual([{ timestamp: new Date(at + 120_000), path: '/rest/v1/todos', status_code: 401 }]);
  });

  test('groups, filters groups and sorts', () => {
    expect(
      run(`select log_attributes['service'] as service, count(*) as n, max(log_attributes['response.origin_time']) as slowest
           from logs where source = 'edge_logs' group by service having count(*) > 1 order by n desc`),
    ).toEqual([{ service: 'rest', n: 2, slowest: 20 }]);
    expect(run('select count() as n, uniq(path) as paths from edge_logs')).toEqual([{ n: 4, paths: 3 }]);
    expect(run('select countIf(status >= 400) as errors from edge_logs where false')).toEqual([
      { errors: 0 },
    ]);
    expect(run('select toStartOfHour(timestamp) as hour, count() as n from edge_logs group by 1')).toEqual([
      { hour: new Date(at), n: 4 },
    ]);
  });

  test('compares with times, lists and ranges', () => {
    const count = (where: string) => run(`select count() as n from edge_logs where ${where}`)[0]?.n;
    expect(count('timestamp > now() - interval 8 minute')).toBe(2);
    expect(count("timestamp >= '2026-01-01 12:03:00'")).toBe(2);
    expect(count('status in (400, 500)')).toBe(2);
    expect(count('status not in (400, 500)')).toBe(2);
    expect(count('status between 400 and 401')).toBe(2);
    expect(count("toInt32OrZero(log_attributes['response.status_code']) = 500 or path ilike '%TOKEN'")).toBe(
      2,
    );
    expect(count('user_id is not null')).toBe(0);
    expect(count('not (status = 200)')).toBe(3);
  });

  test.each([
    ['delete from logs', 'Expected SELECT'],
    ['select x from logs', 'Unknown column x'],
    ['select id from users', 'Unknown table users'],
    ['select sleep(1) from logs', "don't support the function sleep"],
    ['select id from logs; select 1', 'Unexpected'],
    ['select id from logs where id in (select 1)', 'Unexpected select'],
    ['select id from logs union all select 1', 'Unexpected union'],
    ['select id from (select 1)', 'Unexpected'],
    [`select ${'('.repeat(200)}1`, 'nested too deeply'],
    [`select ${'not '.repeat(3000)} 1 from logs`, 'at most'],
    ['select id from logs l join edge_logs e on true', 'Unexpected'],
    ["select 'a", "Unexpected character '"],
  ])('rejects %s', (sql, message) => {
    expect(() => run(sql)).toThrow(message);
  });
});

test('LIKE takes linear time and matches as in SQL', () => {
  expect(isLike('/rest/v1/todos', '/rest/%', false)).toBe(true);
  expect(isLike('abc', 'a_c', false)).toBe(true);
  expect(isLike('abc', 'A%', false)).toBe(false);
  expect(isLike('a'.repeat(2000), `${'%a'.repeat(200)}b`, false)).toBe(false);
});
