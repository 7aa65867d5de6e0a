import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../base/kernel/log.ts';
import { createCertificateTable } from '../certificate-table.ts';
import { createSelfSigned } from '../self-signed.ts';
import { createRenewals } from './renewals.ts';

const dayMs = 24 * 60 * 60_000;

test('a fast clock causes only one order', async () => {
  const pair = await createSelfSigned(['a.example'], Date.now());
  let orders = 0;
  const renewals = createRenewals({
    domains: ['a.example'],
    table: createCertificateTable(['a.example']),
    store: {
      accountKey: () => undefined,
      saveAccountKey: () => undefined,
      certificate: () => undefined,
      saveCertificate: () => undefined,
    },
    order: async () => {
      orders += 1;
      await sleep(1);
      return pair;
    },
    now: () => Date.now() + 400 * dayMs,
    random: () => 0,
    backoff: { firstMs: 60_000, maxMs: 60_000 },
    log: silentLogger,
  });
  renewals.start();
  await sleep(100);
  renewals.stop();
  expect(orders).toBe(1);
});
