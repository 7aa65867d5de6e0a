/** Compares pgsodium with libsodium, and tests its keys and their protection. */
import sodium from 'libsodium-wrappers-sumo';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Pool, Row } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

let own: TestDatabase;
let postgres: Pool;
beforeAll(async () => {
  await sodium.ready;
  own = await createTestDatabase('pgsodium');
  postgres = own.database.pool('postgres');
  await postgres.exec('create extension pgsodium');
});
afterAll(() => own?.drop());

async function first(text: string): Promise<Row> {
  const [row] = await postgres.query<Row>(sql.raw(text));
  return row as Row;
}

const bytes = (size: number, step: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, index) => (index * step + size) & 255);
const hex = (value: Uint8Array): string => `\\x${Buffer.from(value).toString('hex')}`;
const literal = (value: Uint8Array): string => `'${hex(value)}'::bytea`;
const concat = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** XChaCha20-SIV, from libsodium's hash and stream cipher. */
function det(message: Uint8Array, additional: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array {
  const keys = sodium.crypto_generichash(64, new Uint8Array(), key);
  const hash = (input: Uint8Array) => sodium.crypto_generichash(32, input, keys.subarray(0, 32));
  const double = (input: Uint8Array): Uint8Array => {
    const number = BigInt(hex(input).replace('\\', '0')) << 1n;
    const reduced = (number & ((1n << 256n) - 1n)) ^ (number >> 256n ? 0x425n : 0n);
    return Uint8Array.from(Buffer.from(reduced.toString(16).padStart(64, '0'), 'hex'));
  };
  const xor = (a: Uint8Array, b: Uint8Array): Uint8Array => a.map((byte, index) => byte ^ (b[index] ?? 0));
  let state = hash(new Uint8Array(32));
  for (const part of [additional, nonce]) if (part.length > 0) state = xor(double(state), hash(part));
  const code =
    message.length >= 32
      ? hash(concat(message.subarray(0, -32), xor(state, message.subarray(-32))))
      : hash(xor(double(state), concat(message, Uint8Array.of(128))));
  return concat(sodium.crypto_stream_xchacha20_xor(message, code.subarray(0, 24), keys.subarray(32)), code);
}

describe.each([0, 1, 31, 32, 64, 65, 130, 300])('a message of %d bytes', (size) => {
  const message = bytes(size, 7);
  const key = bytes(32, 3);
  const short = key.subarray(0, 16);
  const nonce = bytes(24, 5);
  const additional = bytes(5, 1);

  test('has the ciphertexts and hashes of libsodium', async () => {
    const cases: readonly (readonly [string, Uint8Array])[] = [
      [`crypto_generichash(${literal(message)})`, sodium.crypto_generichash(32, message, null)],
      [
        `crypto_generichash(${literal(message)}, ${literal(key)})`,
        sodium.crypto_generichash(32, message, key),
      ],
      [`crypto_shorthash(${literal(message)}, ${literal(short)})`, sodium.crypto_shorthash(message, short)],
      [`crypto_auth(${literal(message)}, ${literal(key)})`, sodium.crypto_auth(message, key)],
      [
        `crypto_auth_hmacsha256(${literal(message)}, ${literal(key)})`,
        sodium.crypto_auth_hmacsha256(message, key),
      ],
      [
        `crypto_auth_hmacsha512(${literal(message)}, ${literal(key)})`,
        sodium.crypto_auth_hmacsha512(message, key),
      ],
      [
        `crypto_secretbox(${literal(message)}, ${literal(nonce)}, ${literal(key)})`,
        sodium.crypto_secretbox_easy(message, nonce, key),
      ],
      [
        `crypto_aead_ietf_encrypt(${literal(message)}, ${literal(additional)}, ${literal(nonce.subarray(0, 12))}, ${literal(key)})`,
        sodium.crypto_aead_chacha20poly1305_ietf_encrypt(
          message,
          additional,
          null,
          nonce.subarray(0, 12),
          key,
        ),
      ],
      [
        `crypto_aead_det_encrypt(${literal(message)}, ${literal(additional)}, ${literal(key)}, ${literal(nonce.subarray(0, 16))})`,
        det(message, additional, nonce.subarray(0, 16), key),
      ],
      [
        `crypto_aead_det_encrypt(${literal(message)}, null, ${literal(key)})`,
        det(message, bytes(0, 0), bytes(0, 0), key),
      ],
      [
        `crypto_kdf_derive_from_key(32::bigint, ${size}::bigint, 'context8'::bytea, ${literal(key)})`,
        sodium.crypto_kdf_derive_from_key(32, size, 'context8', key),
      ],
    ];
    const columns = cases.map(([call], index) => `(pgsodium.${call})::text as c${index}`);
    const row = await first(`select ${columns.join(', ')}`);
    cases.forEach(([call, expected], index) => {
      expect([call, row[`c${index}`]]).toEqual([call, hex(expected)]);
    });
  });

  test('is decrypted, and a changed ciphertext is rejected', async () => {
    const calls = [
      ['crypto_secretbox_open', sodium.crypto_secretbox_easy(message, nonce, key), [nonce, key]],
      ['crypto_aead_det_decrypt', det(message, additional, bytes(0, 0), key), [additional, key]],
      [
        'crypto_aead_ietf_decrypt',
        sodium.crypto_aead_chacha20poly1305_ietf_encrypt(
          message,
          additional,
          null,
          nonce.subarray(0, 12),
          key,
        ),
        [additional, nonce.subarray(0, 12), key],
      ],
    ] as const;
    for (const [name, sealed, rest] of calls) {
      const call = (input: Uint8Array) =>
        `select (pgsodium.${name}(${[input, ...rest].map(literal).join(', ')}))::text as plain`;
      expect(await first(call(sealed))).toEqual({ plain: hex(message) });
      const changed = Uint8Array.from(sealed);
      changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
      await expect(first(call(changed))).rejects.toMatchObject({ code: '22000' });
      await expect(first(call(sealed.subarray(0, 3)))).rejects.toMatchObject({ code: '22000' });
    }
  });
});

test.each([0, 1, 2])('boxes and signatures are those of libsodium (%d)', async (round) => {
  const [seed, other, message, nonce] = [
    bytes(32, 3 + round),
    bytes(32, 5 + round),
    bytes(round * 40, 7),
    bytes(24, 9),
  ];
  const mine = sodium.crypto_box_seed_keypair(seed);
  const theirs = sodium.crypto_box_seed_keypair(other);
  const signer = sodium.crypto_sign_seed_keypair(seed);
  const signature = sodium.crypto_sign_detached(message, signer.privateKey);
  const changed = signature.with(5, (signature[5] ?? 0) ^ 1);
  const sealed = sodium.crypto_box_seal(message, mine.publicKey);
  const call = (name: string, ...args: Uint8Array[]) => `pgsodium.${name}(${args.map(literal).join(', ')})`;
  const verify = (sig: Uint8Array, key: Uint8Array) => call('crypto_sign_verify_detached', sig, message, key);
  const row = await first(`select
    (select (k.public || k.secret)::text from ${call('crypto_box_seed_new_keypair', seed)} k) as "boxPair",
    (select (k.public || k.secret)::text from ${call('crypto_sign_seed_new_keypair', seed)} k) as "signPair",
    (${call('crypto_box', message, nonce, theirs.publicKey, mine.privateKey)})::text as box,
    (${call('crypto_box_seal_open', sealed, mine.publicKey, mine.privateKey)})::text as opened,
    (${call('crypto_box_seal', message, mine.publicKey)})::text as sealed,
    (${call('crypto_sign_detached', message, signer.privateKey)})::text as signature,
    array[${verify(signature, signer.publicKey)}, ${verify(changed, signer.publicKey)}, ${verify(signature, bytes(32, 0))}]
      as verified`);
  const own = Uint8Array.from(Buffer.from(String(row.sealed).slice(2), 'hex'));
  expect(hex(sodium.crypto_box_seal_open(own, mine.publicKey, mine.privateKey))).toBe(hex(message));
  expect(row).toMatchObject({
    boxPair: hex(concat(mine.publicKey, mine.privateKey)),
    signPair: hex(concat(signer.publicKey, signer.privateKey)),
    box: hex(sodium.crypto_box_easy(message, nonce, theirs.publicKey, mine.privateKey)),
    opened: hex(message),
    signature: hex(signature),
    verified: [true, false, false],
  });
  await expect(
    first(`select ${call('crypto_box', message, nonce, new Uint8Array(32), mine.privateKey)}`),
  ).rejects.toMatchObject({ code: '22000' });
});

test('keys are created, named, stored encrypted and used by their ID', async () => {
  await postgres.exec(`
    select pgsodium.create_key(name => 'derived');
    select pgsodium.create_key('hmacsha256', 'imported', decode(repeat('ab', 32), 'hex'));`);
  expect(
    await first(`select k.key_type::text, k.status::text, k.key_id > 0 as numbered, k.associated_data
      from pgsodium.get_key_by_name('derived') k`),
  ).toEqual({ key_type: 'aead-det', status: 'valid', numbered: true, associated_data: '' });
  expect(
    await first(`select decrypted_raw_key = decode(repeat('ab', 32), 'hex') as same, raw_key = decrypted_raw_key as plain,
      parent_key is not null as "hasParent" from pgsodium.decrypted_key where name = 'imported'`),
  ).toEqual({ same: true, plain: false, hasParent: true });
  expect(
    await first(`with k as (select (pgsodium.get_key_by_name('derived')).*)
      select convert_from(pgsodium.crypto_aead_det_decrypt(
          pgsodium.crypto_aead_det_encrypt('secret'::bytea, 'row 1'::bytea, k.id), 'row 1'::bytea, k.id), 'UTF8') as plain,
        pgsodium.crypto_aead_det_encrypt('secret'::bytea, 'row 1'::bytea, k.id)
          = pgsodium.crypto_aead_det_encrypt('secret'::bytea, 'row 1'::bytea, k.key_id, k.key_context) as same,
        pgsodium.crypto_auth_hmacsha256('m'::bytea, (pgsodium.get_key_by_name('imported')).id)
          = pgsodium.crypto_auth_hmacsha256('m'::bytea, decode(repeat('ab', 32), 'hex')) as "sameCode"
      from k`),
  ).toEqual({ plain: 'secret', same: true, sameCode: true });
  await postgres.exec(`update pgsodium.key set expires = now() - interval '1 day' where name = 'derived'`);
  await expect(
    first(
      `select pgsodium.crypto_aead_det_encrypt('a'::bytea, ''::bytea, id) from pgsodium.key where name = 'derived'`,
    ),
  ).rejects.toMatchObject({ code: 'P0002' });
});

test('a trigger and a view of a dump with an encrypted column work', async () => {
  await postgres.exec(`
    create table public.cards (id int primary key, number text,
      key_id uuid default (pgsodium.create_key()).id, nonce bytea default pgsodium.crypto_aead_det_noncegen());
    create function public.cards_encrypt_secret_number() returns trigger language plpgsql as $$ begin
      new.number := encode(pgsodium.crypto_aead_det_encrypt(
        convert_to(new.number, 'utf8'), convert_to(new.id::text, 'utf8'), new.key_id, new.nonce), 'base64');
      return new;
    end $$;
    create trigger cards_encrypt_secret_trigger_number before insert or update of number on public.cards
      for each row execute function public.cards_encrypt_secret_number();
    create view public.decrypted_cards as select id, convert_from(pgsodium.crypto_aead_det_decrypt(
      decode(number, 'base64'), convert_to(id::text, 'utf8'), key_id, nonce), 'utf8') as number from public.cards;
    insert into public.cards (id, number) values (1, '4111')`);
  expect(await first('select number from public.decrypted_cards')).toEqual({ number: '4111' });
  expect(await first(`select number = '4111' as plain from public.cards`)).toEqual({ plain: false });
});

test.each([
  ['anon', 'select pgsodium.crypto_aead_det_keygen()'],
  ['authenticated', 'select * from pgsodium.valid_key'],
  ['service_role', 'select * from pgsodium.decrypted_key'],
  ['service_role', 'select pgsodium.derive_key(1)'],
  ['pgsodium_keyiduser', 'select pgsodium.derive_key(1)'],
  ['pgsodium_keyiduser', 'select pgsodium._server_key()'],
  ['pgsodium_keyiduser', 'select * from pgsodium.key'],
  ['pgsodium_keymaker', 'select pgsodium._server_key()'],
])('%s can’t run %s', async (role, text) => {
  await expect(postgres.exec(`set role ${role}; ${text}`)).rejects.toMatchObject({ code: '42501' });
});

test('service_role can encrypt with a key’s ID, and keymaker can derive keys', async () => {
  await postgres.exec(`set role service_role; select pgsodium.crypto_aead_det_keygen(); reset role;
    set role pgsodium_keymaker; select pgsodium.derive_key(1); select * from pgsodium.decrypted_key; reset role`);
});

test('only the function that reads the key runs as a superuser, and it calls nothing that a project can replace', async () => {
  const definers = await postgres.query(sql`
    select p.proname::text as name, p.proconfig::text as settings from pg_proc p join pg_roles r on r.oid = p.proowner
    where p.pronamespace = 'pgsodium'::regnamespace and p.prosecdef and r.rolsuper`);
  expect(definers).toEqual([{ name: '_server_key', settings: '{"search_path=pg_catalog, pg_temp"}' }]);
});
