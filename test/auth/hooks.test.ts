/** Tests two hooks with the stock client: send_email over HTTP and custom_access_token in PostgreSQL. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newEmail, startAuth } from './harness.ts';

const secrets = `v1,whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const password = 'correct horse';

interface Call {
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: Record<string, Record<string, unknown>>;
}

describe('over HTTP', () => {
  let server: Server;
  let uri = '';
  let calls: Call[] = [];
  let answer: { status: number; type?: string; body: string } = { status: 204, body: '' };
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      calls.push({ headers: request.headers, text, body: JSON.parse(text) });
      response.writeHead(answer.status, answer.type === undefined ? {} : { 'content-type': answer.type });
      response.end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    uri = `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  test('send_email replaces the email', async () => {
    const auth = await startAuth({
      hook: { send_email: { enabled: true, uri, secrets } },
      email: { enable_confirmations: true },
    });
    try {
      calls = [];
      answer = { status: 200, type: 'application/json', body: '{}' };
      const email = newEmail();
      await auth.client().auth.signUp({ email, password });
      expect(await auth.inbox(email)).toHaveLength(0);
      const data = calls[0]?.body.email_data;
      expect(data).toMatchObject({ email_action_type: 'signup', site_url: `${auth.url}/auth/v1` });
      const signedIn = await auth
        .client()
        .auth.verifyOtp({ email, token: String(data?.token), type: 'email' });
      expect(signedIn.error).toBeNull();
    } finally {
      await auth.stop();
    }
  });
});

test('custom_access_token in PostgreSQL changes the claims', async () => {
  const uri = 'pg-functions://postgres/public/add_claims';
  const auth = await startAuth({ hook: { custom_access_token: { enabled: true, uri } } });
  try {
    await auth.database.pool('supabase_admin').exec(`
      create function public.add_claims(event jsonb) returns jsonb language sql as $$
        select jsonb_build_object('claims', case
          when event #>> '{claims,email}' like 'bad%' then (event -> 'claims') - 'aal'
          else event -> 'claims' || '{"level": 7}' end) $$;
      grant usage on schema public to supabase_auth_admin;
      grant execute on function public.add_claims to supabase_auth_admin;`);
    const { data, error } = await auth.client().auth.signUp({ email: newEmail(), password });
    expect(error).toBeNull();
    const claims = JSON.parse(
      Buffer.from(data.session?.access_token.split('.')[1] ?? '', 'base64url').toString(),
    );
    expect(claims).toMatchObject({ level: 7, sub: data.user?.id });
    const bad = await auth.client().auth.signUp({ email: `bad-${newEmail()}`, password });
    expect(bad.error).toMatchObject({ status: 500, message: expect.stringContaining('aal is required') });
  } finally {
    await auth.stop();
  }
});
