import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePasswordHash } from './hash.ts';

const salt = 'bGJRWThNOHJJTVBSdHl2dQ';
const digest = 'NfEnUOuUpb7F2fQkgFUG4g';
const signer = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';
const fb = (head: string, rest = '42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9A==') => `$fbscrypt$${head}$${rest}`;
const bcrypt = 'N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

test.each([
  [`$2a$10$${bcrypt}`, 'bcrypt'],
  [`$2b$04$${bcrypt}`, 'bcrypt'],
  [`$2y$12$${bcrypt}`, 'bcrypt'],
  [`$argon2id$v=19$m=65536,t=3,p=4$${salt}$${digest}`, 'argon2'],
  [`$argon2i$v=19$m=16,t=2,p=1$${salt}$${digest}`, 'argon2'],
  [fb(`v=1,n=14,r=8,p=1,ss=Bw==,sk=${signer}`), 'firebase'],
  [fb('v=1,n=14,r=8,p=1'), 'firebase'],
])('%s is %s', (text, kind) => {
  expect(parsePasswordHash(text)?.kind).toBe(kind);
});

test.each([
  '',
  'plain text',
  `$2a$03$${bcrypt}`,
  `$2a$32$${bcrypt}`,
  `$2a$10$${bcrypt}x`,
  `$argon2d$v=19$m=16,t=2,p=1$${salt}$${digest}`,
  `$argon2id$v=16$m=16,t=2,p=1$${salt}$${digest}`,
  `$argon2id$v=19$m=16,t=2,p=1,keyid=abc$${salt}$${digest}`,
  `$argon2id$v=19$m=16,t=2,p=1,data=abc$${salt}$${digest}`,
  `$argon2id$v=19$m=1048577,t=2,p=1$${salt}$${digest}`,
  `$argon2id$v=19$m=16,t=21,p=1$${salt}$${digest}`,
  `$argon2id$v=19$m=1024,t=2,p=17$${salt}$${digest}`,
  `$argon2id$v=19$m=7,t=2,p=1$${salt}$${digest}`,
  `$argon2id$v=19$m=16,t=0,p=1$${salt}$${digest}`,
  `$argon2id$v=19$m=16,t=2,p=1$$${digest}`,
  `$argon2id$v=19$m=16,t=2,p=1$${salt}$`,
  `$argon2id$v=19$m=16,t=2,p=1$!!!$${digest}`,
  fb('v=2,n=14,r=8,p=1'),
  fb('v=1,n=0,r=8,p=1'),
  fb('v=1,n=24,r=8,p=1'),
  fb('v=1,n=14,r=0,p=1'),
  fb('v=1,n=14,r=8,p=17'),
  fb('v=1,n=14,r=8,p=1,ss=Bw'),
  fb('v=1,n=14,r=8,p=1', '!!!$Bw=='),
])('%s isn’t a supported hash', (text) => {
  expect(parsePasswordHash(text)).toBeUndefined();
});

test('any text is parsed as a hash or rejected', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.constantFrom('', '$argon2id$v=19$', '$fbscrypt$v=1,', '$2a$10$'),
      (text, head) => {
        parsePasswordHash(head + text);
      },
    ),
  );
});
