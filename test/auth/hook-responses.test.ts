/** Tests hook responses and their time limits, over HTTP and in PostgreSQL. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { configFrom } from '../../src/platform/config/index.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const secrets = [7, 9].map((byte) => `v1,whsec_${Buffer.alloc(24, byte).toString('base64')}`).join('|');
const password = 'correct horse';

/** Starts a server that passes requests to the given listener. */
async function startHook(listener: RequestListener): Promise<{ uri: string; server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, uri: `http://127.0.0.1:${(server.address() as { port: number }).port}/hook` };
}

function end(server: Server): void {
  server.close();
  server.closeAllConnections();
}

describe('over HTTP', () => {
  let hook: Awaited<ReturnType<typeof startHook>>;
  let auth: AuthServer;
  let calls = 0;
  let others = 0;
  let answer: { status: number; headers?: Record<string, string>; body?: string } = { status: 204 };
  beforeAll(async () => {
    hook = await startHook((request, response) => {
      if (request.url === '/hook') calls += 1;
      else others += 1;
      request.resume();
      response.writeHead(answer.status, answer.headers ?? {});
      response.end(answer.body);
    });
    auth = await startAuth({ hook: { before_user_created: { enabled: true, uri: hook.uri, secrets } } });
  });
  afterAll(async () => {
    await auth.stop();
    end(hook.server);
  });

  const signUp = async () => {
    calls = 0;
    const response = await auth.request('/signup', { json: { email: newEmail(), password } });
    const { error_code, msg } = await response.json();
    return response.status === 200 ? 'let in' : [response.status, error_code, msg];
  };
  const json = { 'content-type': 'application/json' };
  const sized = (bytes: number) => `"${'x'.repeat(bytes - 14)}"`;

  test.each<[string, typeof answer]>([
    ['nothing', { status: 204 }],
    ['an empty object', { status: 200, headers: json, body: '{}' }],
    ['null', { status: 200, headers: json, body: 'null' }],
    ['accepted', { status: 202, headers: json, body: '{}' }],
    [
      'with a charset',
      { status: 200, headers: { 'content-type': 'Application/JSON; charset=utf-8' }, body: '{}' },
    ],
    ['a response of the maximum size', { status: 200, headers: json, body: `{"padding":${sized(204_800)}}` }],
    [
      'an error without a message',
      { status: 200, headers: json, body: '{"error":{"http_code":403,"message":""}}' },
    ],
  ])('%s allows the sign-up', async (_name, given) => {
    answer = given;
    expect(await signUp()).toBe('let in');
    expect(calls).toBe(1);
  });

  test.each<[string, typeof answer, unknown[]]>([
    [
      'no content type',
      { status: 200, body: '{}' },
      [400, 'hook_payload_invalid_content_type', 'Invalid Content-Type: Missing Content-Type header'],
    ],
    [
      'another content type',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '{}' },
      [400, 'hook_payload_invalid_content_type', 'Invalid JSON response. Received content-type: text/html'],
    ],
    [
      'a list',
      { status: 200, headers: json, body: '[]' },
      [500, 'unexpected_failure', 'Error unmarshaling JSON output.'],
    ],
    [
      'invalid JSON',
      { status: 200, headers: json, body: '<x>' },
      [500, 'unexpected_failure', 'Error unmarshaling JSON output.'],
    ],
    [
      'a response over the size limit',
      { status: 200, headers: json, body: `{"padding":${sized(204_801)}}` },
      [422, 'hook_payload_over_size_limit', 'Payload size exceeded size limit of 204800 bytes'],
    ],
    ['400', { status: 400 }, [500, 'unexpected_failure', 'Invalid payload sent to hook']],
    ['401', { status: 401 }, [500, 'unexpected_failure', 'Hook requires authorization token']],
    ['429', { status: 429 }, [500, 'unexpected_failure', 'Service currently unavailable due to hook']],
    ['500', { status: 500 }, [500, 'unexpected_failure', 'Unexpected status code returned from hook: 500']],
    [
      'a redirect',
      { status: 307, headers: { location: '/elsewhere' } },
      [500, 'unexpected_failure', 'Unexpected status code returned from hook: 307'],
    ],
    [
      'a rejection',
      { status: 200, headers: json, body: '{"error":{"http_code":403,"message":"not from here"}}' },
      [403, 'unknown', 'not from here'],
    ],
    [
      'a rejection with a status as text',
      { status: 200, headers: json, body: '{"error":{"http_code":"403","message":"not from here"}}' },
      [403, 'unknown', 'not from here'],
    ],
    ...[0, 99, 600, 4.5, null].map((code): [string, typeof answer, unknown[]] => [
      `a refusal with the status ${code}`,
      { status: 200, headers: json, body: `{"error":{"http_code":${code},"message":"no"}}` },
      [500, 'unexpected_failure', 'no'],
    ]),
  ])('%s rejects the sign-up', async (_name, given, expected) => {
    answer = given;
    others = 0;
    expect(await signUp()).toEqual(expected);
    expect([calls, others]).toEqual([1, 0]);
  });

  test('a hook is retried when its response requests it, with at most three attempts', async () => {
    answer = { status: 503, headers: { 'retry-after': 'true' } };
    expect(await signUp()).toEqual([500, 'unexpected_failure', 'Service currently unavailable due to hook']);
    expect(calls).toBe(3);
  });
});

describe('an unreachable hook', () => {
  test.concurrent('is tried three times', async () => {
    const hook = await startHook(() => undefined);
    end(hook.server);
    const uri = hook.uri;
    const auth = await startAuth({ hook: { before_user_created: { enabled: true, uri, secrets } } });
    try {
      const response = await auth.request('/signup', { json: { email: newEmail(), password } });
      expect([response.status, (await response.json()).error_code]).toEqual([
        422,
        'hook_timeout_after_retry',
      ]);
    } finally {
      await auth.stop();
    }
  });

  test.concurrent('is abandoned after five seconds if it doesn’t respond', async () => {
    let calls = 0;
    const { uri, server } = await startHook(() => {
      calls += 1;
    });
    const auth = await startAuth({ hook: { before_user_created: { enabled: true, uri, secrets } } });
    try {
      const response = await auth.request('/signup', { json: { email: newEmail(), password } });
      expect([response.status, await response.json()]).toEqual([
        422,
        expect.objectContaining({
          error_code: 'hook_timeout',
          msg: 'Failed to reach hook within maximum time of 5.000000 seconds',
        }),
      ]);
      expect(calls).toBe(1);
    } finally {
      await auth.stop();
      end(server);
    }
  });
});

describe('in PostgreSQL', () => {
  const uri = 'pg-functions://postgres/public/decide';
  let auth: AuthServer;
  beforeAll(async () => {
    auth = await startAuth({ hook: { before_user_created: { enabled: true, uri } } });
  });
  afterAll(() => auth.stop());

  const signUpWith = async (
    body: string,
    grants = 'grant execute on function public.decide to supabase_auth_admin;',
  ) => {
    await auth.database.pool('supabase_admin').exec(`
      drop function if exists public.decide(jsonb);
      create function public.decide(event jsonb) returns jsonb language plpgsql as $$ begin ${body} end $$;
      revoke execute on function public.decide from public;
      ${grants}`);
    const response = await auth.request('/signup', {
      json: { email: newEmail(), password },
      headers: { 'x-supabase-api-version': '2024-01-01' },
    });
    const { message } = await response.json<{ message?: string }>();
    return response.status === 200 ? 'let in' : [response.status, message];
  };
  const failed = [500, `Error running hook URI: ${uri}`];

  test.each<[string, string, unknown]>([
    ['an empty object', "return '{}';", 'let in'],
    ['nothing', 'return null;', 'let in'],
    [
      'a rejection',
      `return '{"error":{"http_code":409,"message":"not from here"}}';`,
      [409, 'not from here'],
    ],
    ['an error', "raise exception 'broken';", failed],
    ['more time than the limit', "perform pg_sleep(30); return '{}';", failed],
  ])('%s', async (_name, body, expected) => {
    expect(await signUpWith(body)).toEqual(expected);
  });

  test('a function that the service isn’t allowed to call causes an error', async () => {
    expect(await signUpWith("return '{}';", '')).toEqual(failed);
  });

  test('the time limit of a hook doesn’t apply to the rest of the transaction', async () => {
    await signUpWith("return '{}';");
    const [row] = await auth.database
      .pool('supabase_auth_admin')
      .query<{ limit: string }>(sql`select current_setting('statement_timeout') as limit`);
    expect(row?.limit).not.toBe('2s');
  });
});

test.each([
  ['http://hooks.example.com/x', 'must start with https://'],
  ['http://10.0.0.1/x', 'must start with https://'],
  ['ftp://127.0.0.1/x', 'must start with pg-functions://'],
])('%s isn’t a valid hook URI', (uri, message) => {
  const hook = { enabled: true, uri, secrets };
  expect(() => configFrom({ auth: { hook: { send_sms: hook } } })).toThrow(message);
  expect(() => configFrom({ plinth: { auth: { hook: { after_user_created: hook } } } })).toThrow(message);
});
