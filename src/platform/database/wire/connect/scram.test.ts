import { expect, test } from 'vitest';
import { beginScram } from './scram.ts';

const nonce = 'rOprNGfwEbeRWgbNEkqO';
const serverFirst = 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096';

/**
 * Uses the server's messages from the example in RFC 7677. In `test/database`, PostgreSQL verifies the client's proof.
 */
test('a server that doesn’t know the password is detected', async () => {
  const scram = beginScram('pencil', nonce);
  expect(scram.firstMessage).toBe(`n,,n=,r=${nonce}`);
  const final = await scram.respond(serverFirst);
  expect(final.message).toMatch(
    /^c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj\)hNlF\$k0,p=[A-Za-z0-9+/]{43}=$/,
  );
  expect(() => final.verify('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=')).toThrow(/prove/);
});

test.each([
  ['a nonce that is not ours', 'r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096'],
  ['our nonce with nothing added', `r=${nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`],
  ['no salt', `r=${nonce}x,i=4096`],
  ['no iterations', `r=${nonce}x,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=0`],
  ['iterations without end', `r=${nonce}x,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=2000000000`],
])('%s is rejected', async (_what, message) => {
  await expect(beginScram('pencil', nonce).respond(message)).rejects.toThrow();
});
