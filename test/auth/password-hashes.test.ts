/** Tests password hashes from other systems, concurrent sign-ins, and leaked passwords. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash as argon2Hash } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LogFields, type Logger, silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import {
  createOutgoing,
  OutgoingError,
  type OutgoingRequest,
} from '../../src/base/shared/network/outgoing.ts';
import { leakHashOf } from '../../src/services/auth/passwords/leaked-range.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';

describe('hashes from other systems', () => {
  let auth: AuthServer;
  beforeAll(async () => {
    auth = await startAuth();
  });
  afterAll(() => auth.stop());

  const signsIn = async (hash: string, secret: string) => {
    const email = newEmail();
    const made = await auth
      .admin()
      .auth.admin.createUser({ email, password_hash: hash, email_confirm: true });
    expect(made.error).toBeNull();
    const good = await auth.client().auth.signInWithPassword({ email, password: secret });
    expect(good.error).toBeNull();
    const bad = await auth.client().auth.signInWithPassword({ email, password: `${secret}x` });
    expect(bad.error?.code).toBe('invalid_credentials');
  };

  test('bcrypt from pgcrypto works', async () => {
    const [row] = await auth.database
      .pool('supabase_admin')
      .query<{ hash: string }>(
        sql`select extensions.crypt(${password}, extensions.gen_salt('bf', 6)) as hash`,
      );
    expect(row?.hash).toMatch(/^\$2a\$06\$/);
    await signsIn(row?.hash ?? '', password);
  });

  test('bcrypt from other libraries works', async () => {
    // This is the example for crypt() from PHP's manual, with the prefix that PHP uses.
    await signsIn('$2y$07$usesomesillystringfore2uDLvp1Ii2e./U9C8sBjqp8I90dH6hi', 'rasmuslerdorf');
  });

  test.each([
    ['argon2i', 1],
    ['argon2id', 2],
  ])('%s works', async (name, algorithm) => {
    const hash = await argon2Hash(password, { algorithm, memoryCost: 1024, timeCost: 2, parallelism: 2 });
    expect(hash.startsWith(`$${name}$v=19$`)).toBe(true);
    await signsIn(hash, password);
  });

  test('the scrypt example from Firebase’s repository works', async () => {
    const signer = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';
    const made = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==';
    const hash = `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=${signer}$42xEC+ixf3L2lw==$${made}`;
    await signsIn(hash, 'user1password');
  });

  test.each([
    'plain text',
    '$argon2d$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g',
    '$argon2id$v=19$m=4000000,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g',
    '$fbscrypt$v=1,n=40,r=8,p=1$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9A==',
  ])('%s is rejected', async (hash) => {
    const { error } = await auth.admin().auth.admin.createUser({ email: newEmail(), password_hash: hash });
    expect(error).not.toBeNull();
  });

  test('an invalid hash in the table doesn’t sign anyone in', async () => {
    const email = newEmail();
    await auth.admin().auth.admin.createUser({ email, password, email_confirm: true });
    const db = auth.database.pool('supabase_admin');
    for (const hash of ['$argon2id$', '$fbscrypt$', '$2a$10$', 'x']) {
      await db.query(sql`update auth.users set encrypted_password = ${hash} where email = ${email}`);
      const { error } = await auth.client().auth.signInWithPassword({ email, password });
      expect(error?.code).toBe('invalid_credentials');
    }
  });

  test('sign-ins that wait don’t block other requests, and timing doesn’t reveal which users exist', async () => {
    const email = newEmail();
    await auth.client().auth.signUp({ email, password });
    const attempt = (who: string) =>
      auth.request('/token?grant_type=password', { json: { email: who, password: 'wrong' } });
    let answered = 0;
    const crowd = Array.from({ length: 12 }, async (_, index) => {
      const response = await attempt(index % 2 === 0 ? email : newEmail());
      answered += 1;
      return `${response.status} ${await response.text()}`;
    });
    const other = await auth.request('/settings');
    expect(other.status).toBe(200);
    expect(answered).toBeLessThan(12);
    expect(new Set(await Promise.all(crowd)).size).toBe(1);
  });
});

describe('leaked passwords', () => {
  const leaked = 'P@ssw0rd-of-everybody';
  const hash = leakHashOf(leaked);
  const asked: OutgoingRequest[] = [];
  let response: () => { status: number; text: string };
  const outgoing = {
    ...createOutgoing({ mode: 'development' }),
    async send(request: OutgoingRequest) {
      asked.push(request);
      return { contentType: 'text/plain', ...response() };
    },
  };
  const range = (count: number) => ({
    status: 200,
    text: `${'0'.repeat(35)}:3\r\n${hash.slice(5)}:${count}\r\n${'F'.repeat(35)}:0`,
  });

  test('are rejected at sign-up and reported at sign-in, and only five characters are sent', async () => {
    const auth = await startAuth(
      {},
      { outgoing, plinth: { auth: { password: { hibp: { enabled: true } } } } },
    );
    try {
      const email = newEmail();
      response = () => range(0);
      const early = await auth.client().auth.signUp({ email, password: leaked });
      expect(early.error).toBeNull();
      response = () => range(42);
      asked.length = 0;
      const refused = await auth.client().auth.signUp({ email: newEmail(), password: leaked });
      expect(refused.error).toMatchObject({
        code: 'weak_password',
        status: 422,
        reasons: ['pwned'],
        message: 'Password is known to be weak and easy to guess, please choose a different one.',
      });
      expect(asked[0]).toMatchObject({
        url: `https://api.pwnedpasswords.com/range/${hash.slice(0, 5)}`,
        headers: { 'add-padding': 'true', 'user-agent': 'plinth' },
      });
      expect(JSON.stringify(asked)).not.toContain(hash.slice(5));
      const { data } = await auth.client().auth.signInWithPassword({ email, password: leaked });
      expect(data.session).not.toBeNull();
      expect(data.weakPassword).toMatchObject({ reasons: ['pwned'] });
      const changed = await auth.admin().auth.admin.updateUserById(data.user?.id ?? '', { password: leaked });
      expect(changed.error?.code).toBe('weak_password');
    } finally {
      await auth.stop();
    }
  });

  const down = () => {
    throw new OutgoingError('https://api.pwnedpasswords.com did not answer');
  };

  test('are accepted with a log entry while the service is unreachable', async () => {
    const warnings: LogFields[] = [];
    const log: Logger = { ...silentLogger, warn: (fields) => warnings.push(fields) };
    const plinth = { auth: { password: { hibp: { enabled: true } } } };
    const auth = await startAuth({}, { outgoing, plinth, log });
    try {
      for (const fault of [down, () => ({ status: 503, text: '' })]) {
        response = fault;
        warnings.length = 0;
        const { error } = await auth.client().auth.signUp({ email: newEmail(), password: leaked });
        expect(error).toBeNull();
        expect(warnings.some(({ error: cause }) => cause instanceof Error)).toBe(true);
      }
    } finally {
      await auth.stop();
    }
  });

  test('are rejected while the service is unreachable, if the project requires it, but sign-in still works', async () => {
    const plinth = { auth: { password: { hibp: { enabled: true, fail_closed: true } } } };
    const auth = await startAuth({}, { outgoing, plinth });
    try {
      const email = newEmail();
      response = () => range(0);
      await auth.client().auth.signUp({ email, password: leaked });
      response = down;
      const { error } = await auth.client().auth.signUp({ email: newEmail(), password: leaked });
      expect(error?.status).toBe(500);
      const back = await auth.client().auth.signInWithPassword({ email, password: leaked });
      expect(back.error).toBeNull();
    } finally {
      await auth.stop();
    }
  });

  test('are found in a local list without a request', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'plinth-leaks-'));
    const list_path = join(dir, 'pwned.txt');
    const others = Array.from({ length: 500 }, (_, index) => `${leakHashOf(String(index))}:${index + 1}`);
    await writeFile(list_path, [...others, `${hash}:7`].toSorted().join('\r\n'));
    // Setting the list is enough to enable the check.
    const plinth = { auth: { password: { hibp: { list_path } } } };
    const auth = await startAuth({}, { outgoing, plinth });
    try {
      asked.length = 0;
      const refused = await auth.client().auth.signUp({ email: newEmail(), password: leaked });
      expect(refused.error).toMatchObject({ code: 'weak_password' });
      expect((await auth.client().auth.signUp({ email: newEmail(), password })).error).toBeNull();
      expect(asked).toEqual([]);
    } finally {
      await auth.stop();
      await rm(dir, { recursive: true });
    }
  });
});
