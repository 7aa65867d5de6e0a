/** Tests the protection of the public routes for passkeys and wallets: rate limits per client address and captchas. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuthServer, startAuth } from './harness.ts';

const features = {
  site_url: 'https://app.example',
  passkey: { enabled: true },
  webauthn: { rp_id: 'app.example', rp_origins: ['https://app.example'] },
  web3: { solana: { enabled: true } },
};

let limited: AuthServer;
let asking: AuthServer;
beforeAll(async () => {
  limited = await startAuth({ ...features, rate_limit: { web3: 30 } }, { mode: 'production' });
  asking = await startAuth({ ...features, captcha: { enabled: true, provider: 'hcaptcha', secret: 'x' } });
});
afterAll(async () => {
  await limited.stop();
  await asking.stop();
});

const statuses = async (server: AuthServer, path: string, times: number) => {
  const answers = await Promise.all(
    Array.from({ length: times }, () => server.request(path, { json: { chain: 'solana' } })),
  );
  return answers.map(({ status }) => status);
};

test.each([
  ['/passkeys/authentication/options', 200],
  ['/token?grant_type=web3', 400],
])('%s is rate-limited', async (path, usual) => {
  const seen = await statuses(limited, path, 33);
  expect(seen.filter((status) => status === usual)).toHaveLength(30);
  expect(seen.filter((status) => status === 429)).toHaveLength(3);
});

test.each(['/passkeys/authentication/options', '/token?grant_type=web3'])(
  '%s requires a captcha',
  async (path) => {
    const response = await asking.request(path, { json: { chain: 'solana' } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error_code: 'captcha_failed' });
  },
);

test('if passkeys are disabled, the error says so with or without a captcha', async () => {
  const plain = await startAuth({ captcha: { enabled: true, provider: 'hcaptcha', secret: 'x' } });
  try {
    const response = await plain.request('/passkeys/authentication/options', { json: {} });
    expect(await response.json()).toMatchObject({ error_code: 'passkey_disabled' });
  } finally {
    await plain.stop();
  }
});
