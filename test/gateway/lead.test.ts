import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { openLead } from '../../src/gateway/lead.ts';
import { silentLogger } from '../../src/kernel/log.ts';

const taken = createServer();
afterAll(() => {
  taken.close();
});

it('leads every path to its target, and goes', async () => {
  const lead = await openLead('127.0.0.1', 0, () => 'http://127.0.0.1:1/console/', silentLogger);
  const answer = await fetch(`http://127.0.0.1:${lead.port}/project/default`, { redirect: 'manual' });
  expect(answer.status).toBe(302);
  expect(answer.headers.get('location')).toBe('http://127.0.0.1:1/console/');
  await lead.close();
  await expect(fetch(`http://127.0.0.1:${lead.port}/`)).rejects.toThrow();
});

it('a taken port is no reason not to start', async () => {
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const lead = await openLead('127.0.0.1', (taken.address() as AddressInfo).port, () => '/', silentLogger);
  expect(lead.port).toBeUndefined();
  await lead.close();
});
