/** Fills a running backend with users, requests, jobs, queues, webhooks, keys, tokens and backups. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import type { Backend } from '../../src/entry/main.ts';
import { createIdp } from '../../test/auth/saml-idp.ts';
import { type Operator, operator } from '../../test/console/harness.ts';
import { addFiles } from './files.ts';
import { people } from './people.ts';
import type { GalleryProject } from './project.ts';

/** Signs in to the Account pages. Another user, Ada, has a second factor. */
export const accountUser = { email: 'grace@example.com', password: 'correct horse battery' };
const names = ['ada', 'grace', 'edsger', 'barbara', 'donald', 'a.rather.long.name.of.a.person'];
const { password } = accountUser;

const jobs = `
create extension if not exists pg_cron;
create extension if not exists pgmq;
select cron.schedule('nightly-report', '0 3 * * *', 'select 1');
select cron.schedule('recalculate-the-discounts-of-all-returning-customers', '*/15 9-17 * * mon-fri',
  'select public.total_of(1)');
select cron.schedule('archive-readings', '5 seconds', 'select count(*) from public.sensor_readings');
select cron.schedule('failing-job', '5 seconds', 'select 1 / 0');
select cron.schedule('paused', '@daily', 'vacuum');
select cron.alter_job(jobid, active => false) from cron.job where jobname = 'paused';
select pgmq.create('letters'), pgmq.create('invoices_to_send'), pgmq.create_unlogged('readings');
select pgmq.send('letters', jsonb_build_object('to', 'ada@example.com', 'order', i)) from generate_series(1, 23) i;
select pgmq.send('letters', jsonb_build_object('note', repeat('a long text ', 400)), 600);
select pgmq.archive('letters', 3::bigint), pgmq.read('letters', 300, 2);
select pgmq.send('invoices_to_send', '{"order": 1}');`;

const webhooks = (url: string): string => `
create trigger "tell the warehouse" after insert or update on public.orders for each row
  execute function supabase_functions.http_request('${url}/functions/v1/health', 'POST', '{"authorization": "secret"}');
create trigger "tell a server that cannot be reached, with a long name" after delete on public.photos for each row
  execute function supabase_functions.http_request('http://127.0.0.1:9/${'path/'.repeat(20)}', 'POST', '{}');
update public.orders set name = name || '!' where id < 4;
delete from public.photos where id < 3;
select net.http_get('${url}/functions/v1/health');`;

async function signUp(backend: Backend): Promise<void> {
  for (const name of names) {
    const client = createClient(backend.url, backend.keys.publishableKey, {
      auth: { persistSession: false },
    });
    await client.auth.signUp({ email: `${name}@example.com`, password });
    await client.from('orders').select('id,name').limit(3);
    await client.from('beds').select('*').limit(3);
    await client.from('no_such_table').select('*');
    await client.auth.signInWithPassword({ email: `${name}@example.com`, password: 'wrong' });
    await client.from('plants').update({ name: 'moved' }).eq('id', 1);
    await client.auth.signInWithOtp({ email: `new-${name}@example.com` });
  }
}

/** Signs in a user from several devices. */
async function signInElsewhere(backend: Backend, email: string): Promise<void> {
  for (const agent of [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  ])
    await fetch(`${backend.url}/auth/v1/token?grant_type=password`, {
      method: 'POST',
      headers: {
        apikey: backend.keys.publishableKey,
        'content-type': 'application/json',
        'user-agent': agent,
      },
      body: JSON.stringify({ email, password }),
    });
}

async function callFunctions(backend: Backend): Promise<void> {
  const client = createClient(backend.url, backend.keys.publishableKey);
  for (let order = 1; order <= 12; order++) {
    await client.functions.invoke('send-invoice', { body: { order } });
    if (order % 3 === 0) await client.functions.invoke('recalculate-prices', { body: {} });
    await client.functions.invoke('health');
  }
}

async function post(owner: Operator, path: string, body?: unknown): Promise<void> {
  const answer = await owner.call('POST', path, body);
  if (answer.status >= 400) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
}

async function fillProject(owner: Operator, backend: Backend): Promise<void> {
  for (const [name, role] of [
    ['grace.hopper@example.com', 'developer'],
    ['looker', 'read-only'],
    ['a-rather-long-name-of-an-operator@department.example.com', 'developer'],
  ] as const)
    await backend.operators.createOperator(name, role);
  await operator(backend, 'looker');
  await operator(backend, 'grace.hopper@example.com');
  const idp = createIdp('https://idp.example.com/metadata');
  await post(owner, '/sso', {
    source: { xml: idp.metadata() },
    domains: ['company.example.com', 'company.example.org', 'department.example.com'],
    mapping: { full_name: { names: ['displayName', 'cn'] } },
  });
  await post(owner, '/keys/api', { kind: 'secret', name: 'Worker' });
  await post(owner, '/keys/api', { kind: 'publishable', name: 'Greenhouse app for tablets' });
  await post(owner, '/function-secrets', { name: 'STRIPE_SECRET_KEY', value: 'secret' });
  await post(owner, '/function-secrets', { name: 'WAREHOUSE_TOKEN', value: 'secret' });
  await post(owner, '/tokens', { name: 'CI', role: 'developer', lifetimeDays: 30 });
}

const backupDeadlineMs = 60_000;

/** Waits until no backup and no verification is running. */
export async function settledBackups(owner: Operator): Promise<void> {
  const until = Date.now() + backupDeadlineMs;
  for (;;) {
    const { overview } = (await owner.call('GET', '/backups')).body;
    if (!overview.running && overview.verification.step === null && overview.lastStartedAt !== null) return;
    if (Date.now() > until) throw new Error('The backup takes too long.');
    await new Promise((done) => setTimeout(done, 300));
  }
}

async function backUp(owner: Operator): Promise<void> {
  await settledBackups(owner);
  await post(owner, '/backups/run');
  await settledBackups(owner);
  await post(owner, '/backups/verify');
  await settledBackups(owner);
}

export async function fill(backend: Backend, project: GalleryProject): Promise<Operator> {
  const owner = await operator(backend);
  const run = (text: string): Promise<void> => backend.database.pool('postgres').exec(text);
  await run(jobs);
  await run(webhooks(backend.url));
  await signUp(backend);
  for (const email of [accountUser.email, 'ada@example.com']) await signInElsewhere(backend, email);
  await backend.database.pool('supabase_admin').exec(people);
  await addFiles(owner, backend);
  await callFunctions(backend);
  await fillProject(owner, backend);
  await backUp(owner);
  // The migration history and the migration files differ: one migration was changed, one file is missing, and one
  // migration is pending.
  project.write(
    'migrations/20260201000000_add_notes_to_orders.sql',
    'alter table public.orders add column note text, add column color text;\n',
  );
  rmSync(join(project.dir, 'supabase/migrations/20260301000000_removed_later.sql'));
  project.write(
    'migrations/20260401000000_ratings_of_plants_by_customers.sql',
    'create table public.ratings (id int primary key, stars int);\n',
  );
  return owner;
}
