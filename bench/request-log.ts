/**
 * Measures the CPU time that the request log uses per request. The time for a trace with one statement includes
 * creating the record, updating the counters and writing a line to the file. For comparison, also measures the CPU time
 * of only writing a line to the file.
 *
 *     node bench/request-log.ts
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trace } from '../src/base/kernel/trace.ts';
import { defaultConfig } from '../src/platform/config/index.ts';

import { createLogger, createTelemetry } from '../src/platform/telemetry/index.ts';

const rounds = 40;
const perRound = 5000;
const dir = mkdtempSync(join(tmpdir(), 'plinth-bench-'));
const log = createLogger(dir, defaultConfig().plinth.log);
const telemetry = createTelemetry({ log, dir });
const statement = 'select "id", "title" from "public"."todos" where "id" = $1 limit $2 '.repeat(6);

function lineAlone(number: number): void {
  const url = `/rest/v1/todos?id=eq.${number}`;
  const fields = {
    requestId: `request-${number}`,
    method: 'GET',
    path: url.split('?', 1)[0],
    status: 200,
    durationMs: 1.23,
    ip: '127.0.0.1',
  };
  log.info(fields, 'request');
}

function whole(number: number): void {
  const url = `/rest/v1/todos?id=eq.${number}`;
  const trace = new Trace(`request-${number}`, performance.now());
  trace.role = 'authenticated';
  trace.userId = '00000000-0000-4000-8000-000000000001';
  const startedAt = performance.now();
  trace.statement(statement, startedAt, performance.now());
  telemetry.requestEnded({
    at: Date.now(),
    requestId: trace.requestId,
    service: 'rest',
    method: 'GET',
    url,
    status: 200,
    durationMs: 1.23,
    ip: '127.0.0.1',
    userAgent: 'bench',
    trace,
  });
}

/**
 * The CPU time of the fastest round of each variant. Slower rounds are discarded, because other processes slowed them
 * down.
 */
const best = { lineAlone: Number.POSITIVE_INFINITY, whole: Number.POSITIVE_INFINITY };
for (let round = 0; round < rounds; round++) {
  for (const [name, work] of [['lineAlone', lineAlone] as const, ['whole', whole] as const]) {
    const before = process.threadCpuUsage();
    for (let number = 0; number < perRound; number++) work(number);
    const { user, system } = process.threadCpuUsage(before);
    best[name] = Math.min(best[name], (user + system) / perRound);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
await log.end();
rmSync(dir, { recursive: true });
process.stdout.write(
  `only a line: ${best.lineAlone.toFixed(2)} us, everything: ${best.whole.toFixed(2)} us, difference: ${(best.whole - best.lineAlone).toFixed(2)} us of CPU per request\n`,
);
