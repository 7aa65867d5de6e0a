/** Tests operators: invitations, roles, sessions, second factors, and the audit log. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import {
  type Backend,
  linkToken,
  type Operator,
  operator,
  operatorOf,
  signIn,
  startBackend,
} from './harness.ts';

let backend: Backend;
let owner: Operator;
let dev: Operator;
beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('dev', 'developer');
  owner = await operator(backend);
  dev = await operator(backend, 'dev');
});
afterAll(() => backend?.stop());

const tokenOf = (link: string): string => new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? '';
const now = (): number => Math.floor(Date.now() / 30_000);
const admin = () => backend.database.pool('supabase_admin');

async function invite(name: string, role: string): Promise<{ id: string; token: string }> {
  const { status, body } = await owner.call('POST', '/operators', { name, role });
  expect(status).toBe(200);
  return { id: body.operator.id, token: tokenOf(body.link) };
}

test('a stolen old session can’t add a way to sign in, and so can’t become recent', async () => {
  const stale = await operator(backend);
  expect((await stale.call('GET', '/session')).body.isFresh).toBe(true);
  await admin().query(sql`
    update _plinth.operator_sessions set created_at = now() - interval '11 minutes'
    where csrf_token = ${stale.csrfToken}`);
  const [self] = (await owner.call('GET', '/operators')).body.operators;
  const attempts = [
    ['POST', '/factor', undefined],
    ['POST', '/factor/passkeys/begin', undefined],
    ['POST', '/operators', { name: 'accomplice', role: 'owner' }],
    ['POST', `/operators/${self.id}/link`, undefined],
    ['POST', `/operators/${self.id}/link/send`, { email: 'accomplice@example.com' }],
    ['PATCH', `/operators/${self.id}`, { role: 'owner' }],
  ] as const;
  for (const [method, path, body] of attempts)
    expect([path, (await stale.call(method, path, body)).body.code]).toEqual([path, 'sign_in_again']);
  expect((await stale.call('GET', '/session')).body.isFresh).toBe(false);
  const { operators } = (await owner.call('GET', '/operators')).body;
  expect(operators.map(({ name }: { name: string }) => name)).not.toContain('accomplice');
  for (const text of [
    'update _plinth.operator_sessions set created_at = now()',
    "insert into _plinth.operator_links select 'x', id, now() from _plinth.operators",
  ]) {
    const { body } = await stale.call('POST', '/sql/run', { text, confirmed: true });
    expect(body).toContain('permission denied');
  }
});

describe('an invitation', () => {
  test('signs in once, with its role', async () => {
    const { token } = await invite('ada', 'read-only');
    const first = await signIn(backend, token);
    expect(await first.json()).toMatchObject({ operator: { name: 'ada', role: 'read-only' } });
    const stolen = await signIn(backend, token);
    expect([stolen.status, ((await stolen.json()) as { code: string }).code]).toEqual([401, 'link_invalid']);
  });

  test('is stored as a hash only', async () => {
    const { token } = await invite('grace', 'developer');
    const [row] = await admin().query<{ text: string }>(
      sql`select string_agg(l::text, '') as text from _plinth.operator_links l`,
    );
    expect(row?.text).not.toContain(token);
    expect(row?.text).not.toContain(Buffer.from(token).toString('hex'));
  });

  test('expires', async () => {
    const { id, token } = await invite('late', 'developer');
    await admin().query(sql`update _plinth.operator_links set expires_at = now() where operator_id = ${id}`);
    expect((await signIn(backend, token)).status).toBe(401);
  });

  test('can be replaced by a new one, and is deleted with its operator', async () => {
    const { id } = await invite('gone', 'developer');
    const again = await owner.call('POST', `/operators/${id}/link`);
    expect((await owner.call('DELETE', `/operators/${id}`)).status).toBe(204);
    expect((await signIn(backend, tokenOf(again.body.link))).status).toBe(401);
  });

  test.each([
    ['a name that is in use', { name: 'dev', role: 'owner' }, 409, 'taken'],
    ['no name', { name: '  ', role: 'owner' }, 400, 'bad_request'],
    ['a name with a line break', { name: 'a\nb', role: 'owner' }, 400, 'bad_request'],
    ['a name of 101 characters', { name: '😀'.repeat(101), role: 'owner' }, 400, 'bad_request'],
    ['an unknown role', { name: 'x', role: 'root' }, 400, 'bad_request'],
  ])('with %s is rejected', async (_what, body, status, code) => {
    const response = await owner.call('POST', '/operators', body);
    expect([response.status, response.body.code]).toEqual([status, code]);
  });

  test('can have a name of 100 characters that each take two UTF-16 units', async () => {
    const { id } = await invite('😀'.repeat(100), 'developer');
    expect((await owner.call('DELETE', `/operators/${id}`)).status).toBe(204);
  });

  test('can be created only by an owner', async () => {
    expect((await dev.call('POST', '/operators', { name: 'mine', role: 'owner' })).status).toBe(403);
  });
});

describe('an emailed invitation', () => {
  const received: string[] = [];
  let withMail: Backend;
  let sender: Operator;
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, done) {
      stream.toArray().then((chunks) => {
        received.push(Buffer.concat(chunks).toString());
        done();
      }, done);
    },
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const smtp = {
      enabled: true,
      host: '127.0.0.1',
      port,
      admin_email: 'ops@example.com',
      user: '',
      pass: '',
    };
    withMail = await startBackend({ config: { auth: { email: { smtp } } } });
    sender = await operator(withMail);
  });
  afterAll(async () => {
    await withMail?.stop();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  test('replaces the previous link, and only the email contains the new one', async () => {
    const { body: made } = await sender.call('POST', '/operators', { name: '<b>eve</b>', role: 'developer' });
    const id = made.operator.id;
    expect((await sender.call('GET', '/operators')).body.canSendMail).toBe(true);
    const sent = await sender.call('POST', `/operators/${id}/link/send`, { email: 'eve@example.com' });
    expect([sent.status, Object.keys(sent.body)]).toEqual([200, ['expiresAt']]);
    expect((await signIn(withMail, tokenOf(made.link))).status).toBe(401);
    const [mail = ''] = received;
    expect(mail).toContain('To: eve@example.com');
    expect(mail).toContain('&#60;b&#62;eve&#60;/b&#62;');
    const [, token = ''] = /token=(?:3D)?([\w-]{32})/.exec(mail.replaceAll(/=\r?\n/g, '')) ?? [];
    expect((await signIn(withMail, token)).status).toBe(200);
    const { entries } = (await sender.call('GET', '/audit?action=operator.send-link')).body;
    expect(entries[0]).toMatchObject({ target: '<b>eve</b>', detail: { email: 'eve@example.com' } });
    expect(JSON.stringify(entries)).not.toContain(token);
    const bad = { email: 'eve@example.com\r\nBcc: x@example.com' };
    expect((await sender.call('POST', `/operators/${id}/link/send`, bad)).status).toBe(400);
  });

  test('isn’t captured in the inbox, where other operators could use its link', async () => {
    const { id, token } = await invite('captured', 'developer');
    expect((await owner.call('GET', '/operators')).body.canSendMail).toBe(false);
    const { status } = await owner.call('POST', `/operators/${id}/link/send`, { email: 'a@example.com' });
    expect(status).toBe(409);
    expect((await dev.call('POST', `/operators/${id}/link/send`, { email: 'a@example.com' })).status).toBe(
      403,
    );
    expect((await signIn(backend, token)).status).toBe(200);
  });

  test('can be revoked, and the list shows until when it is valid', async () => {
    const { id, token } = await invite('revoked', 'developer');
    const linkOf = async () =>
      (await dev.call('GET', '/operators')).body.operators.find((each: { id: string }) => each.id === id)
        .link_expires_at;
    expect(Date.parse(await linkOf())).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    expect((await dev.call('DELETE', `/operators/${id}/link`)).status).toBe(403);
    expect((await owner.call('DELETE', `/operators/${id}/link`)).status).toBe(204);
    expect(await linkOf()).toBeNull();
    expect((await signIn(backend, token)).status).toBe(401);
  });
});

describe('roles', () => {
  test('a changed role applies to the next request', async () => {
    const { id, token } = await invite('mover', 'developer');
    const mover = await operatorOf(backend, token);
    expect((await mover.call('DELETE', '/inbox/x')).status).toBe(204);
    await owner.call('PATCH', `/operators/${id}`, { role: 'read-only' });
    expect((await mover.call('DELETE', '/inbox/x')).status).toBe(403);
    await owner.call('DELETE', `/operators/${id}`);
    expect((await mover.call('GET', '/session')).status).toBe(401);
  });

  test('the last owner can’t be removed, even if two owners remove each other concurrently', async () => {
    const { id, token } = await invite('second', 'owner');
    const second = await operatorOf(backend, token);
    const { body } = await owner.call('GET', '/operators');
    const first = body.operators.find((one: { name: string }) => one.name === 'owner').id;
    const answers = await Promise.all([
      owner.call('PATCH', `/operators/${id}`, { role: 'developer' }),
      second.call('PATCH', `/operators/${first}`, { role: 'developer' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).not.toEqual([200, 200]);
    const [row] = await admin().query<{ count: number }>(
      sql`select count(*)::int as count from _plinth.operators where role = 'owner'`,
    );
    expect(row?.count).toBeGreaterThan(0);
    await admin().query(sql`update _plinth.operators set role = 'owner' where name = 'owner'`);
    await owner.call('DELETE', `/operators/${id}`);
    for (const call of [
      owner.call('PATCH', `/operators/${first}`, { role: 'developer' }),
      owner.call('DELETE', `/operators/${first}`),
    ]) {
      const { status, body: refused } = await call;
      expect([status, refused.code]).toEqual([409, 'last_owner']);
    }
  });
});

describe('sessions', () => {
  test('can be listed and ended by their operator, and all of them by an owner', async () => {
    const other = await operator(backend, 'dev');
    const mine = (await dev.call('GET', '/sessions')).body.sessions;
    expect(new Set(mine.map((one: { operator_name: string }) => one.operator_name))).toEqual(
      new Set(['dev']),
    );
    expect(mine.filter((one: { current: boolean }) => one.current)).toHaveLength(1);
    const all = (await owner.call('GET', '/sessions')).body.sessions;
    const ownersId = all.find((one: { current: boolean }) => one.current).id;
    expect((await dev.call('DELETE', `/sessions/${ownersId}`)).status).toBe(404);
    expect((await owner.call('GET', '/session')).status).toBe(200);
    const othersId = (await other.call('GET', '/sessions')).body.sessions.find(
      (one: { current: boolean }) => one.current,
    ).id;
    expect((await owner.call('DELETE', `/sessions/${othersId}`)).status).toBe(204);
    expect((await other.call('GET', '/session')).status).toBe(401);
    expect(JSON.stringify(all)).not.toContain(owner.csrfToken);
  });
});

describe('a second factor', () => {
  let person: Operator;
  let secret: string;
  let recoveryCodes: string[];
  let step: number;
  beforeAll(async () => {
    await backend.operators.createOperator('careful', 'developer');
    person = await operator(backend, 'careful');
    const begun = await person.call('POST', '/factor');
    secret = begun.body.secret;
    expect(begun.body.uri).toContain(`secret=${secret}`);
    expect(begun.body.qr).toMatch(/^data:image\/svg\+xml;base64,/);
    // The code of the previous time step is still valid. By using this code, the test leaves the later codes for the
    // other tests.
    step = now() - 1;
    const confirmed = await person.call('POST', '/factor/confirm', { code: totpCode(secret, step) });
    expect(confirmed.status).toBe(200);
    recoveryCodes = confirmed.body.recoveryCodes;
  });

  test('is required before anything else at the next sign-in', async () => {
    const entering = await operator(backend, 'careful');
    expect((await entering.call('GET', '/session')).body.factor).toBe('owed');
    for (const [method, path] of [
      ['GET', '/tables'],
      ['GET', '/operators'],
      ['GET', '/factor'],
      ['DELETE', '/factor'],
      ['DELETE', '/inbox/x'],
    ] as const) {
      const { status, body } = await entering.call(
        method,
        path,
        method === 'GET' ? undefined : { code: '1' },
      );
      expect([path, status, body.code]).toEqual([path, 403, 'factor_needed']);
    }
    // Someone with a stolen link can't replace the factor either.
    expect((await entering.call('POST', '/factor')).body.code).toBe('factor_there');
    expect(
      (await entering.call('POST', '/factor/confirm', { code: totpCode(secret, now()) })).body.code,
    ).toBe('factor_there');
    const proven = await entering.call('POST', '/factor/prove', { code: totpCode(secret, now()) });
    expect([proven.status, proven.body.factor]).toEqual([200, 'proven']);
    expect((await entering.call('GET', '/tables')).status).toBe(200);
  });

  test('accepts each code once', async () => {
    const entering = await operator(backend, 'careful');
    const response = await entering.call('POST', '/factor/prove', { code: totpCode(secret, step) });
    expect([response.status, response.body.code]).toEqual([422, 'code_wrong']);
  });

  test('accepts each recovery code once, regardless of its spelling', async () => {
    const [code = ''] = recoveryCodes;
    expect(recoveryCodes).toHaveLength(10);
    const first = await operator(backend, 'careful');
    expect((await first.call('POST', '/factor/prove', { code: ` ${code.toUpperCase()} ` })).status).toBe(200);
    const second = await operator(backend, 'careful');
    expect((await second.call('POST', '/factor/prove', { code })).status).toBe(422);
    expect((await first.call('GET', '/factor')).body).toEqual({ confirmed: true, recoveryCodesLeft: 9 });
  });

  test('is required again before a secret is revealed', async () => {
    const entering = await operator(backend, 'careful');
    const admin = backend.database.pool('supabase_admin');
    await entering.call('POST', '/factor/prove', { code: recoveryCodes[1] });
    await admin.exec(`
      update _plinth.operators set role = 'owner' where name = 'careful';
      update _plinth.operator_sessions set factor_at = now() - interval '11 minutes'
        where csrf_token = '${entering.csrfToken}'`);
    const reveal = async () => (await entering.call('POST', '/keys/reveal', { name: 'secret' })).status;
    expect(await reveal()).toBe(403);
    await entering.call('POST', '/factor/prove', { code: recoveryCodes[2] });
    expect(await reveal()).toBe(200);
    await admin.exec(`update _plinth.operators set role = 'developer' where name = 'careful'`);
  });

  test('can’t be read by an operator who can read every table', async () => {
    const [row] = await backend.database.pool('postgres').query<{ text: string }>(
      sql`select o::text || coalesce((select string_agg(c::text, '') from _plinth.operator_recovery_codes c), '') as text
            from _plinth.operators o where name = 'careful'`,
    );
    expect(row?.text).not.toContain(Buffer.from(secret).toString('hex'));
    expect(row?.text).not.toContain(secret);
    for (const code of recoveryCodes) expect(row?.text).not.toContain(code);
  });

  test('can be reset by an owner, which ends the sessions', async () => {
    const { body } = await owner.call('GET', '/operators');
    const careful = body.operators.find((one: { name: string }) => one.name === 'careful');
    expect(careful.has_factor).toBe(true);
    expect((await dev.call('DELETE', `/operators/${careful.id}/factor`)).status).toBe(403);
    expect((await owner.call('DELETE', `/operators/${careful.id}/factor`)).status).toBe(204);
    expect((await person.call('GET', '/session')).status).toBe(401);
    expect((await (await operator(backend, 'careful')).call('GET', '/session')).body.factor).toBe('none');
  });

  test('can’t be guessed, because five wrong codes lock it', async () => {
    await backend.operators.createOperator('guessed', 'developer');
    const guessed = await operator(backend, 'guessed');
    await guessed.call('POST', '/factor');
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess++)
      statuses.push((await guessed.call('POST', '/factor/confirm', { code: 'abcdef' })).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
  });
});

describe('the audit log', () => {
  test('shows who did what, with filters and pages', async () => {
    const page = await owner.call('GET', '/audit?limit=3');
    expect(page.body.entries).toHaveLength(3);
    expect(page.body.more).toBe(true);
    const next = await owner.call('GET', `/audit?limit=3&before=${page.body.entries[2].id}`);
    expect(Number(next.body.entries[0].id)).toBeLessThan(Number(page.body.entries[2].id));
    const invites = (await owner.call('GET', '/audit?action=operator&operator=owner')).body.entries;
    expect(invites.length).toBeGreaterThan(2);
    for (const { action, operator_name } of invites)
      expect([action.split('.')[0], operator_name]).toEqual(['operator', 'owner']);
    const found = (await owner.call('GET', '/audit?search=GRACE')).body.entries;
    expect(found.map((one: { target: string }) => one.target)).toContain('grace');
    expect((await owner.call('GET', '/audit?until=2000-01-01T00:00:00Z')).body.entries).toEqual([]);
    const { operators, actions } = (await dev.call('GET', '/audit/facets')).body;
    expect(operators).toEqual(expect.arrayContaining(['command line', 'owner']));
    expect(actions).toEqual(expect.arrayContaining(['operator.invite', 'sign-in']));
  });

  test('doesn’t contain links or codes', async () => {
    const token = await linkToken(backend);
    await signIn(backend, token);
    const [row] = await admin().query<{ text: string }>(
      sql`select string_agg(a::text, '') as text from _plinth.audit_log a`,
    );
    expect(row?.text).not.toContain(token);
  });

  test('omits values of secret tables for read-only operators, also from the search', async () => {
    await backend.operators.createOperator('onlooker', 'read-only');
    const onlooker = await operator(backend, 'onlooker');
    const { status } = await owner.call('DELETE', '/tables/auth/users/rows', {
      scope: { filters: [{ column: 'email', operator: 'eq', value: 'hidden-value@example.com' }] },
    });
    expect(status).toBe(200);
    const seen = async (who: Operator) =>
      (await who.call('GET', '/audit?action=row.delete&search=hidden-value')).body.entries.length;
    expect([await seen(owner), await seen(dev), await seen(onlooker)]).toEqual([1, 1, 0]);
    const [entry] = (await onlooker.call('GET', '/audit?action=row.delete')).body.entries;
    expect(entry).toMatchObject({ target: 'auth.users', detail: { count: 0, undoable: false } });
    expect(JSON.stringify(entry)).not.toContain('hidden-value');
  });

  test.each(["'; drop table _plinth.audit_log; --", '%', '\u0000'])(
    'finds %j as literal text',
    async (search) => {
      const { status } = await owner.call('GET', `/audit?${new URLSearchParams({ search })}`);
      expect([200, 400, 422]).toContain(status);
      expect((await owner.call('GET', '/audit')).status).toBe(200);
    },
  );
});

test('if a second factor is required, an operator without one must set it up first', async () => {
  const strict = await startBackend({ config: { plinth: { console: { require_mfa: true } } } });
  try {
    const person = await operator(strict);
    expect((await person.call('GET', '/session')).body.factor).toBe('missing');
    expect((await person.call('GET', '/tables')).body.code).toBe('factor_needed');
    const { secret } = (await person.call('POST', '/factor')).body;
    const step = now();
    expect((await person.call('POST', '/factor/confirm', { code: totpCode(secret, step) })).status).toBe(200);
    expect((await person.call('GET', '/tables')).status).toBe(200);
    const removal = await person.call('DELETE', '/factor', { code: totpCode(secret, step + 1) });
    expect([removal.status, removal.body.code]).toEqual([409, 'factor_required']);
  } finally {
    await strict.stop();
  }
});
