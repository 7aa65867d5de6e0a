/**
 * Tests that random and mutated requests to a running server each get a response in the service's format, and never a
 * 5xx. If a test fails, fast-check prints the seed, the path and the smallest failing request.
 */
import { Agent, request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RestHarness, startRest } from './harness.ts';

const SEED = 20261122;

interface Attempt {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

let rest: RestHarness;
const agent = new Agent({ keepAlive: true, maxSockets: 4 });
beforeAll(async () => {
  // All features of the REST service are enabled.
  rest = await startRest({
    sql: `
      create function public.echo(json) returns json language sql immutable as 'select $1';
      create function public.first(variadic list text[]) returns text language sql immutable as 'select list[1]';
      do $$ begin
        execute format('alter role authenticator in database %I set pgrst.db_plan_enabled to true', current_database());
        execute format('alter role authenticator in database %I set pgrst.db_aggregates_enabled to true', current_database());
        execute format('alter role authenticator in database %I set pgrst.db_tx_end to %L', current_database(), 'rollback-allow-override');
      end $$`,
  });
});
afterAll(async () => {
  agent.destroy();
  await rest?.stop();
});

const samples: Attempt[] = (
  [
    ['GET', '/people?select=id,name::text,data->langs->>0,alias:born&order=born.desc.nullslast,name&limit=2'],
    ['GET', '/teams?select=id,lead:people!lead_id(name,initials),memberships!inner(*)&memberships.limit=1'],
    ['GET', '/teams?select=name,...people!lead_id(lead:name)&people.name=ilike(any).{A*,G*}'],
    ['GET', '/people?or=(id.eq.1,and(name.like.*a*,not.or(born.is.null,id.in.(1,"2",3))))&tags=cs.{code}'],
    [
      'GET',
      '/people?data->address->>city=eq.London&name=wfts(english).ada&born=not.is.null',
      { prefer: 'count=exact' },
    ],
    ['GET', '/people?select=count(),born.max()::text&id=gte.0', { range: '0-1', prefer: 'count=planned' }],
    ['HEAD', '/people?tags=ov.{a,b}&id=isdistinct.3', { prefer: 'count=estimated' }],
    [
      'GET',
      '/people',
      { accept: 'application/vnd.pgrst.plan+json; for="text/csv"; options=verbose|analyze' },
    ],
    [
      'GET',
      '/people?id=eq.1',
      { accept: 'application/vnd.pgrst.object+json;nulls=stripped, text/csv;q=0.5' },
    ],
    ['GET', '/rpc/add?a=1&b=2'],
    ['GET', '/rpc/first?list=a&list=b'],
    ['GET', '/rpc/whoami?select=*', { 'accept-profile': 'public' }],
    ['POST', '/rpc/add', { 'content-type': 'application/json' }, '{"a": 1, "b": 2}'],
    ['POST', '/rpc/echo', { 'content-type': 'application/json' }, '[{"a": [1, null, "\\u00e9"]}]'],
    ['POST', '/rpc/add', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=1&b=%32'],
    [
      'POST',
      '/people?columns=name,data&select=id',
      { prefer: 'return=representation, missing=default, tx=rollback' },
      '[{"name": "x", "data": {"a": 1e3}}]',
    ],
    [
      'POST',
      '/teams?on_conflict=id',
      { prefer: 'resolution=merge-duplicates, return=headers-only' },
      '{"id": 9, "name": "x"}',
    ],
    [
      'POST',
      '/people',
      { 'content-type': 'text/csv', prefer: 'return=representation' },
      'name,born\nx,NULL\n"y ""z""",2020-01-01\n',
    ],
    [
      'PATCH',
      '/people?id=eq.3&select=*',
      { prefer: 'return=representation, handling=strict, max-affected=1' },
      '{"tags": ["a"]}',
    ],
    ['PUT', '/teams?id=eq.3', { prefer: 'return=representation' }, '{"id": 3, "name": "idle"}'],
    ['DELETE', '/memberships?person_id=eq.99', { prefer: 'timezone=Europe/Rome, count=exact' }],
    ['OPTIONS', '/people'],
    ['GET', '/', { accept: 'application/openapi+json' }],
  ] as [string, string, Record<string, string>?, string?][]
).map(([method, target, headers = {}, body = '']) => ({ method, target, headers, body }));

/** Tokens that have a special meaning in at least one of the parsers. */
const tokens = [
  ...[
    '(',
    ')',
    '((',
    '))',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '\\',
    ',',
    '.',
    ':',
    '::',
    '!',
    '...',
    '->',
    '->>',
    '*',
    '=',
    '&',
  ],
  ...[
    '%00',
    '%',
    '%zz',
    '%ff%fe',
    '%ed%a0%80',
    '%c0%af',
    '%22',
    '%5C',
    '+',
    '%0d%0a',
    '\u00ff',
    '?',
    '#',
    ';',
    '/',
  ],
  ...[
    'not.',
    'eq.',
    'in.(',
    'is.null',
    'fts(',
    'or=(',
    'and=',
    'limit=',
    'offset=-1',
    'select=',
    'order=',
    'columns=',
  ],
  ...[
    'count()',
    '.sum()',
    '!inner',
    '!left',
    'on_conflict=',
    '9'.repeat(30),
    '-1',
    '1e999',
    'NaN',
    'null',
    'true',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '$1',
    '$$',
    '--',
    '/*',
    ';select pg_sleep(0)',
    'information_schema',
  ],
  ...['\\u0000', '\\ud800', '{"a":', '[[[[', '1e400', '\ufffd', 'x'.repeat(300)],
];
const token = fc.constantFrom(...tokens);
const noise = fc.oneof(
  { weight: 4, arbitrary: token },
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

type Edit = (text: string) => string;
const edit: fc.Arbitrary<Edit> = fc
  .record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(12),
    insert: noise,
    kind: fc.nat(3),
  })
  .map(({ at, length, insert, kind }) => (text: string) => {
    const start = Math.floor(at * text.length);
    const removed = text.slice(start, start + length);
    switch (kind) {
      case 0:
        return text.slice(0, start) + insert + text.slice(start);
      case 1:
        return text.slice(0, start) + text.slice(start + length);
      case 2:
        return text.slice(0, start) + insert + text.slice(start + length);
      default:
        return text.slice(0, start) + removed.repeat(3) + text.slice(start + length);
    }
  });

const places = ['target', 'target', 'target', 'header', 'body', 'body', 'method'] as const;
const mutated: fc.Arbitrary<Attempt> = fc
  .record({
    sample: fc.constantFrom(...samples),
    other: fc.constantFrom(...samples),
    edits: fc.array(fc.record({ place: fc.constantFrom(...places), edit }), { minLength: 1, maxLength: 4 }),
  })
  .map(({ sample, other, edits }) => {
    let attempt = sample;
    for (const { place, edit: change } of edits) {
      if (place === 'target') attempt = { ...attempt, target: `/${change(attempt.target.slice(1))}` };
      else if (place === 'body') attempt = { ...attempt, body: change(attempt.body) };
      else if (place === 'method') attempt = { ...attempt, method: other.method, headers: other.headers };
      else {
        const headers = Object.entries(attempt.headers).map(([name, value]) => [name, change(value)]);
        attempt = { ...attempt, headers: Object.fromEntries(headers) };
      }
    }
    return attempt;
  });

const random: fc.Arbitrary<Attempt> = fc.record({
  method: fc.constantFrom(
    'GET',
    'POST',
    'PATCH',
    'PUT',
    'DELETE',
    'HEAD',
    'OPTIONS',
    'PURGE',
    'TRACE',
    'REPORT',
  ),
  target: fc
    .tuple(
      fc.constantFrom('/people', '/rpc/add', '/rpc/first', '/', '/nothing'),
      fc.array(noise, { maxLength: 12 }),
    )
    .map(([path, parts]) => `${path}?${parts.join('')}`),
  headers: fc.dictionary(
    fc.constantFrom(
      'prefer',
      'accept',
      'content-type',
      'range',
      'authorization',
      'accept-profile',
      'cookie',
      'x-any',
    ),
    fc.array(noise, { maxLength: 4 }).map((parts) => parts.join('')),
    { maxKeys: 3 },
  ),
  body: fc.array(noise, { maxLength: 10 }).map((parts) => parts.join('')),
});

/** Returns a string that has one character for each UTF-8 byte of the text. */
const bytes = (text: string) => Buffer.from(text).toString('latin1');
/** Limits a request to what HTTP clients can send. */
const onWire = ({ method, target, headers, body }: Attempt): Attempt => ({
  method,
  target: bytes(target).replace(
    /[^\x21-\x7e]/g,
    (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  ),
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      bytes(value).replace(/[^\t\x20-\x7e\x80-\xff]/g, ''),
    ]),
  ),
  body,
});

function send({ method, target, headers, body }: Attempt): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(rest.url);
    const path = `/rest/v1${target}`;
    const sent = method === 'GET' || method === 'HEAD' ? '' : body;
    const framed = { ...headers, 'content-length': String(Buffer.byteLength(sent)) };
    const request = httpRequest({ agent, hostname, port, method, path, headers: framed }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(sent);
  });
}

async function isAnswered(attempt: Attempt): Promise<void> {
  const { status, text } = await send(onWire(attempt));
  expect(status, text).toBeLessThan(500);
  if (status < 400 || attempt.method === 'HEAD') return;
  expect(JSON.parse(text)).toEqual(
    expect.objectContaining({ code: expect.stringMatching(/^[A-Z0-9_]+$/), message: expect.any(String) }),
  );
}

test('the requests to be mutated succeed unchanged', async () => {
  for (const sample of samples) {
    const { status, text } = await send(sample);
    expect(status, `${sample.method} ${sample.target} ${text}`).toBeLessThan(300);
  }
});

test('mutated requests get a valid response', () =>
  fc.assert(fc.asyncProperty(mutated, isAnswered), {
    seed: SEED,
    numRuns: 600,
  }));

test('random requests get a valid response', () =>
  fc.assert(fc.asyncProperty(random, isAnswered), { seed: SEED, numRuns: 250 }));

test('the server still works after these requests, and the tables exist', async () => {
  expect((await rest.fetch('/people?select=id&limit=1')).status).toBe(200);
  expect((await rest.fetch('/teams?select=id&limit=1')).status).toBe(200);
});
