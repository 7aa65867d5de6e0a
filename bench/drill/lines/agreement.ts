/** A change on one node applies on all nodes. The nodes share only the URL of the database and the secret. */
import { setTimeout as sleep } from 'node:timers/promises';
import { totpCode } from '../../../src/base/shared/one-time-codes.ts';
import type { Node } from '../node.ts';
import { atMost, type Check, type Line } from '../report.ts';
import { inWorld, type World } from '../world.ts';

const mostMs = 2000;

type Call = (method: string, path: string, body?: unknown) => Promise<Response>;

/** Waits until the node agrees, and returns the time in milliseconds since `from`. */
async function agreed(from: number, agrees: () => Promise<boolean>): Promise<number> {
  for (;;) {
    const askedAt = performance.now();
    if (await agrees()) return askedAt - from;
    if (performance.now() - from > 60_000) throw new Error('A node has not agreed within a minute.');
    await sleep(25);
  }
}

const usersStatus = async ({ url }: Node, apikey: string): Promise<number> =>
  (await fetch(`${url}/auth/v1/admin/users`, { headers: { apikey } })).status;

async function management(node: Node): Promise<Call> {
  const { token } = await node.call<{ token: string }>('tokenCreate', {
    ...{ name: 'drill', role: 'owner', lifetimeSeconds: 3600 },
  });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const list = (await (await node.console('/v1/projects', { headers })).json()) as { ref: string }[];
  return async (method: string, path: string, body?: unknown): Promise<Response> => {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await node.console(`/v1/projects/${list[0]?.ref}${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
}

type Reporter = (name: string, ms: number) => void;

/** Makes a change, and reports the time from the first byte of its request until both other nodes agree. */
async function measure<T>(
  { nodes: [, two, three] }: World,
  report: Reporter,
  { name, change, agrees }: Measured<T>,
): Promise<T> {
  const from = performance.now();
  const made = await change();
  const waits = [two, three].map((node) => agreed(from, () => agrees(node, made)));
  report(name, Math.max(...(await Promise.all(waits))));
  return made;
}

interface Measured<T> {
  readonly name: string;
  readonly change: () => Promise<T>;
  readonly agrees: (node: Node, made: T) => Promise<boolean>;
}

async function keysAgree(world: World, report: Reporter): Promise<void> {
  const [one, two] = world.nodes;
  const owner = await one.operator();
  const post = async (path: string, body: object) => (await owner.call('POST', path, body)).body;
  const created = await measure(world, report, {
    name: 'an API key is created',
    change: () => post('/keys/api', { kind: 'secret', name: 'CI' }),
    agrees: async (node, { key }) => (await usersStatus(node, key)) === 200,
  });
  await measure(world, report, {
    name: 'an API key is revoked',
    change: () => owner.call('DELETE', `/keys/api/${created.entry.id}`),
    agrees: async (node) => (await usersStatus(node, created.key)) === 401,
  });
  await measure(world, report, {
    name: 'the secret key is rotated',
    change: () => post('/keys/default/rotate', { kind: 'secret' }),
    agrees: async (node, { key }) => (await usersStatus(node, key)) === 200,
  });
  const { signing } = await post('/keys/signing', { algorithm: 'ES256' });
  const { kid } = signing.find(({ state }: { state: string }) => state === 'standby');
  const password = 'correct horse battery';
  const { PUBLISHABLE_KEY } = await two.status();
  const auth = ({ url }: Node, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}/auth/v1/${path}`, {
      ...init,
      headers: { apikey: PUBLISHABLE_KEY, 'content-type': 'application/json' },
    });
  const user = JSON.stringify({ email: 'drill@example.com', password });
  await auth(one, 'signup', { method: 'POST', body: user });
  await measure(world, report, {
    name: 'the signing key is rotated',
    change: () => post('/keys/signing/rotate', { kid }),
    async agrees(node) {
      const response = await auth(node, 'token?grant_type=password', { method: 'POST', body: user });
      const { access_token } = (await response.json()) as { access_token?: string };
      const [header = ''] = (access_token ?? '').split('.');
      return Buffer.from(header, 'base64url').toString().includes(kid);
    },
  });
  const { stamps } = (await owner.call('GET', '/settings')).body;
  const change = { file: 'config.toml', path: ['auth', 'enable_signup'], value: false };
  await measure(world, report, {
    name: 'a setting is saved',
    change: () => post('/settings', { changes: [change], templates: [], stamps }),
    async agrees(node) {
      const settings = (await (await auth(node, 'settings')).json()) as { disable_signup: boolean };
      return settings.disable_signup;
    },
  });
}

async function functionsAgree(world: World, report: Reporter): Promise<void> {
  const [one] = world.nodes;
  const call = await management(one);
  const { SECRET_KEY } = await one.status();
  const answersWith =
    (text: string) =>
    async ({ url }: Node) => {
      const response = await fetch(`${url}/functions/v1/hello`, { headers: { apikey: SECRET_KEY } });
      return (await response.text()) === text;
    };
  const source = (text: string): string =>
    `Deno.serve(() => new Response('${text} ' + (Deno.env.get('GREETING') ?? 'nothing')));`;
  await measure(world, report, {
    name: 'a function is deployed',
    change: () => call('POST', '/functions', { slug: 'hello', name: 'hello', body: source('v1') }),
    agrees: answersWith('v1 nothing'),
  });
  await measure(world, report, {
    name: 'a function is replaced',
    change: () => call('PATCH', '/functions/hello', { body: source('v2') }),
    agrees: answersWith('v2 nothing'),
  });
  await measure(world, report, {
    name: 'a function secret is set',
    change: () => call('POST', '/secrets', [{ name: 'GREETING', value: 'good day' }]),
    agrees: answersWith('v2 good day'),
  });
}

/** Enrolls an operator's factor on the first node, and proves it on the others. */
async function factorAgrees({ nodes: [one, two, three] }: World): Promise<Check> {
  await one.call('operatorsCreate', { name: 'careful', role: 'developer' });
  const person = await one.operator('careful');
  const { secret } = (await person.call('POST', '/factor')).body;
  const step = Math.floor(Date.now() / 30_000);
  await person.call('POST', '/factor/confirm', { code: totpCode(secret, step - 1) });
  const results: string[] = [];
  for (const [index, node] of [two, three].entries()) {
    const entering = await node.operator('careful');
    const proven = await entering.call('POST', '/factor/prove', { code: totpCode(secret, step + index) });
    results.push(String(proven.body.factor ?? proven.status));
  }
  return {
    name: "an operator's factor that was enrolled on node 1",
    figure: `${results.join(', ')} on nodes 2 and 3`,
    limit: 'proven',
    isMet: results.every((result) => result === 'proven'),
  };
}

export const agreement: Line = {
  name: 'agreement',
  title: 'A change on node 1 applies on nodes 2 and 3, which share only the URL and the secret',
  run: (check) =>
    inWorld({}, async (world) => {
      const report = (name: string, ms: number): void =>
        check(atMost(`${name}, slowest node`, Math.round(ms), mostMs, 'ms'));
      await keysAgree(world, report);
      await functionsAgree(world, report);
      check(await factorAgrees(world));
    }),
};
