import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../base/kernel/log.ts';
import { type RequestRecord, Trace } from '../../../base/kernel/trace.ts';
import { createTraceExporter } from './exporter.ts';

const urlChars = 32 * 1024;
const record = (): RequestRecord => ({
  at: Date.now(),
  requestId: 'r',
  service: 'gateway',
  method: 'GET',
  url: `/${'x'.repeat(urlChars - 1)}`,
  status: 404,
  durationMs: 1,
  ip: '203.0.113.1',
  userAgent: undefined,
  trace: new Trace('r', performance.now()),
});

test('long URLs have a total limit, and batches are small enough for a collector', async () => {
  const sizes: number[] = [];
  const collector = createServer((request, response) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    request.on('end', () => {
      sizes.push(size);
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void collector.close());
  const exporter = createTraceExporter({
    endpoint: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    headers: undefined,
    sampling: () => 1,
    resource: { namespace: 'test' },
    log: silentLogger,
    batchMs: 10,
  });
  for (let n = 0; n < 600; n++) exporter.requestEnded(record());
  expect(exporter.dropped()).toBe(600 - (16 * 1024 * 1024) / urlChars);
  await expect.poll(() => sizes.length, { timeout: 10_000 }).toBe(8);
  expect(Math.max(...sizes)).toBeLessThan(3 * 1024 * 1024);
  exporter.requestEnded(record());
  expect(exporter.dropped()).toBe(88);
  await exporter.stop();
});
