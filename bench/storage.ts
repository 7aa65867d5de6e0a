/**
 * Measures the resource usage of storage: the server's CPU time for each kind of request, and its memory under this
 * load. Measures CPU time instead of request rates, because rates vary if other programs use the machine.
 *
 *   node bench/storage.ts [--seconds 3] [--connections 8] [--only get1k,put1k]
 *
 * Exits with 1 if the server's resident memory exceeded 200 MiB. Runs only on Linux, because CPU time and memory are
 * read from /proc.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildPlinth } from './build.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
    only: { type: 'string' },
  },
});
const runMs = Number(values.seconds) * 1000;
const connections = Number(values.connections);
const MIB = 1024 * 1024;
const maxRssBytes = 200 * MIB;
const listedObjects = 1000;
/** The number of clock ticks per second, the unit of CPU time in /proc. */
const ticksPerSecond = 100;

const folder = mkdtempSync(join(tmpdir(), 'plinth-bench-storage-'));
buildPlinth();
const bin = fileURLToPath(new URL('../bin/plinth-built.mjs', import.meta.url));
const args = [bin, 'start', '--workdir', folder, '--port', '0', '--json'];
const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
const pid = server.pid as number;

/** Reads the output of `start --json`, which appears when the server is ready. */
async function state(): Promise<{ url: string; serviceKey: string }> {
  let text = '';
  for await (const chunk of server.stdout.setEncoding('utf8')) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  const { API_URL: url, SERVICE_ROLE_KEY: serviceKey } = JSON.parse(text);
  return { url, serviceKey };
}

const { url, serviceKey } = await state();
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

function call(method: string, path: string, body?: Buffer | object): Promise<number> {
  const payload = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json';
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/storage/v1${path}`,
      {
        method,
        agent,
        headers: {
          authorization: `Bearer ${serviceKey}`,
          ...(payload ? { 'content-type': type, 'content-length': payload.length } : {}),
        },
      },
      (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('error', reject);
        response.on('end', () =>
          response.statusCode === 200
            ? resolve(bytes)
            : reject(new Error(`${method} ${path}: ${response.statusCode}`)),
        );
      },
    );
    sent.on('error', reject);
    sent.end(payload);
  });
}

/** Makes `count` calls in total over all connections, but stops after `runMs`. */
async function repeat(
  work: (index: number) => Promise<unknown>,
  count = Number.POSITIVE_INFINITY,
): Promise<number> {
  const endsAt = performance.now() + (count === Number.POSITIVE_INFINITY ? runMs : count * 1e6);
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count && performance.now() < endsAt) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  return next;
}

function cpuMs(): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1000;
}
const rssBytes = (name: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) *
  1024;

let uploads = 0;
const kibi = randomBytes(1024);
const mebi = randomBytes(MIB);
const tenMebi = randomBytes(10 * MIB);
const scenarios: Record<string, (index: number) => Promise<unknown>> = {
  get1k: () => call('GET', '/object/public/bench/1k'),
  get1m: () => call('GET', '/object/public/bench/1m'),
  put1k: () => {
    uploads += 1;
    return call('POST', `/object/bench/put1k/${uploads}`, kibi);
  },
  put10m: (index) => call('PUT', `/object/bench/put10m/${index % connections}`, tenMebi),
  list1000: () => call('POST', '/object/list/bench', { prefix: 'listed', limit: listedObjects }),
  list2_1000: () =>
    call('POST', '/object/list-v2/bench', { prefix: 'listed/', limit: listedObjects, with_delimiter: true }),
};

try {
  await call('POST', '/bucket', { name: 'bench', public: true });
  await call('POST', '/object/bench/1k', kibi);
  await call('POST', '/object/bench/1m', mebi);
  await repeat((index) => call('POST', `/object/bench/listed/${index}`, Buffer.from('x')), listedObjects);
  console.log(`idle ${(rssBytes('VmRSS') / MIB).toFixed(0)} MiB`);
  const wanted = values.only?.split(',') ?? Object.keys(scenarios);
  for (const name of wanted) {
    const scenario = scenarios[name];
    if (!scenario)
      throw new Error(`Unknown scenario ${name}. Known scenarios: ${Object.keys(scenarios).join(', ')}`);
    await repeat(scenario, connections * 4);
    const [startedMs, startedAt] = [cpuMs(), performance.now()];
    const count = await repeat(scenario);
    const seconds = (performance.now() - startedAt) / 1000;
    const perRequestMs = (cpuMs() - startedMs) / count;
    console.log(
      `${name.padEnd(12)} ${perRequestMs.toFixed(2).padStart(7)} ms CPU per request, ${(count / seconds).toFixed(0).padStart(5)} per second, RSS ${(rssBytes('VmRSS') / MIB).toFixed(0)} MiB`,
    );
  }
  const peakBytes = rssBytes('VmHWM');
  console.log(`peak ${(peakBytes / MIB).toFixed(0)} MiB`);
  if (peakBytes > maxRssBytes) process.exitCode = 1;
} finally {
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('exit', resolve));
  agent.destroy();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
