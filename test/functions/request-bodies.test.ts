/** Tests that functions receive complete request bodies, whatever their size and whenever the function reads them. */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bytesOf, pacedBodies, sendPaced } from '../support/paced-body.ts';
import { type FunctionsWorld, functionsWorld } from './harness.ts';

let world: FunctionsWorld;
beforeAll(async () => {
  world = await functionsWorld({
    config: {
      functions: {
        sum: { verify_jwt: false },
        form: { verify_jwt: false },
        ends: { verify_jwt: false },
        echo: { verify_jwt: false },
      },
    },
    files: {
      // The function waits before it reads the body, and between chunks.
      sum: `import { createHash } from 'node:crypto';
        const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
        Deno.serve(async (request) => {
          const query = new URL(request.url).searchParams;
          await pause(Number(query.get('wait')));
          const hash = createHash('sha256');
          let turn = 0;
          for await (const chunk of request.body ?? []) {
            hash.update(chunk);
            if (turn++ % 8 === 0) await pause(Number(query.get('pause')));
          }
          return new Response(hash.digest('hex'));
        });`,
      form: `Deno.serve(async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        const file = (await request.formData()).get('file') as File;
        return Response.json({ name: file.name, size: file.size });
      });`,
      // The function responds immediately and reads the body in a background task.
      background: `const sizes: unknown[] = [];
        const read: Record<string, (request: Request) => Promise<number>> = {
          json: async (request) => (await request.json()).length,
          text: async (request) => (await request.text()).length - 2,
          bytes: async (request) => (await request.bytes()).length - 2,
          clone: async (request) => (await request.clone().json()).length,
        };
        Deno.serve((request) => {
          if (request.method === 'GET') return Response.json(sizes);
          const how = new URL(request.url).searchParams.get('how')!;
          EdgeRuntime.waitUntil(read[how](request).then((size) => sizes.push(how + size), (error) => sizes.push(error.name)));
          return new Response('started');
        });`,
      echo: `Deno.serve((request) => new Response(request.body!.pipeThrough(new TransformStream())));`,
      ends: `const ends: string[] = [];
        Deno.serve(async (request) => {
          if (request.method === 'GET') return Response.json(ends);
          try { ends.push(String((await request.arrayBuffer()).byteLength)); } catch { ends.push('aborted'); }
          return new Response();
        });`,
    },
  });
});
afterAll(() => world?.stop());

const urlOf = (path: string): string => `${world.url}/functions/v1/${path}`;

it.each([0, 5, 50, 300])('receives bodies of random sizes at random paces, waiting %i ms', async (wait) => {
  // Three requests at a time share the keep-alive connections, so a request also follows another on its connection.
  const agent = new Agent({ keepAlive: true, maxSockets: 3 });
  const queue = pacedBodies(wait, 12).values();
  const work = async (): Promise<void> => {
    for (const body of queue) {
      const { bytes, sha256 } = bytesOf(body);
      const path = `sum?wait=${wait}&pause=${wait === 0 ? 0 : 1}`;
      const response = await sendPaced(urlOf(path), { method: 'POST', headers: {}, agent }, body, bytes);
      expect({ ...body, ...response }).toEqual({ ...body, status: 200, body: sha256 });
    }
  };
  await Promise.all([work(), work(), work()]);
  agent.destroy();
});

it('receives a form that it reads after a pause', async () => {
  for (const sizeBytes of [280_000, 320_000, 1_000_000]) {
    const body = new FormData();
    body.append('file', new Blob([Buffer.alloc(sizeBytes)]), 'a.bin');
    const response = await world.call('form', { method: 'POST', body });
    expect([response.status, await response.json()]).toEqual([200, { name: 'a.bin', size: sizeBytes }]);
  }
});

it('a background task receives the body that it reads, although the response was sent before', async () => {
  const expected: string[] = [];
  for (const how of ['json', 'text', 'bytes', 'clone']) {
    for (const size of [10, 70_000, 300_000, 2_000_000]) {
      const body = JSON.stringify('x'.repeat(size));
      const response = await world.call(`background?how=${how}`, { method: 'POST', body });
      expect(await response.text()).toBe('started');
      expected.push(`${how}${size}`);
    }
  }
  await expect.poll(async () => (await world.call('background')).json()).toEqual(expected);
});

it('a response can contain the body while it arrives', async () => {
  const sent = request(urlOf('echo'), { method: 'POST' });
  sent.write('first');
  const [response] = await once(sent, 'response');
  expect(String((await once(response, 'data'))[0])).toBe('first');
  sent.end('second');
  expect(String((await once(response, 'data'))[0])).toBe('second');
});

it.each(['with its length', 'in chunks'])(
  'sees the end of a body that its client aborts, %s',
  async (kind) => {
    const before = ((await (await world.call('ends')).json()) as string[]).length;
    for (const sentBytes of [1, 20_000, 300_000, 2_000_000]) {
      const headers = kind === 'in chunks' ? {} : { 'content-length': 3_000_000 };
      const sent = request(urlOf('ends'), { method: 'POST', headers });
      sent.on('error', () => undefined);
      sent.write(Buffer.alloc(sentBytes));
      await once(sent, 'socket').then(() => delay(20));
      sent.destroy();
    }
    await expect
      .poll(async () => ((await (await world.call('ends')).json()) as string[]).slice(before))
      .toEqual(Array(4).fill('aborted'));
    await expect.poll(() => world.functions.describe('ends')?.pending).toBe(0);
  },
);
