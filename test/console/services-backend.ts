/** Starts a backend with functions, tables with tracked changes, and names that contain markup. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { Backend } from './harness.ts';

/** A name with markup, which every page must show as text. */
export const markup = '<img src=x onerror="document.title=\'pwned\'">';

const functions: Readonly<Record<string, string>> = {
  echo: `Deno.serve(async (request) => {
    console.log('called by', request.headers.get('authorization')?.slice(0, 10));
    return Response.json({
      method: request.method, url: new URL(request.url).pathname + new URL(request.url).search,
      headers: Object.fromEntries(request.headers), body: await request.text(),
    }, { status: 201, headers: { 'x-answer': 'yes' } });
  });`,
  noisy: `Deno.serve(async (request) => { console.log(await request.text()); console.error('to stderr'); return new Response('ok'); });`,
  endless: `Deno.serve(() => new Response(new ReadableStream({ pull(controller) { controller.enqueue(new Uint8Array(65536).fill(97)); } })));`,
  leaky: `Deno.serve(() => { console.log(Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')); return Response.json({ key: Deno.env.get('SUPABASE_SERVICE_ROLE_KEY'), keys: Deno.env.get('SUPABASE_SECRET_KEYS') }, { headers: { 'x-key': Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')! } }); });`,
  picture: `Deno.serve(() => new Response(new Uint8Array([137, 80, 78, 71, 0, 1, 2, 255]), { headers: { 'content-type': 'image/png' } }));`,
  broken: `import './missing.ts';`,
};

const tables = `
  create table public.feed (id int primary key, body text);
  create table public.quiet (id int primary key);
  create table public.closed (id int primary key);
  alter table public.closed enable row level security;
  create table public.open_policy (id int primary key);
  alter table public.open_policy enable row level security;
  create policy everybody on public.open_policy for select to authenticated using (true);
  alter publication supabase_realtime add table public.feed, public.closed, public.open_policy;
`;

export interface ServicesBackend {
  readonly backend: Backend;
  readonly functionsDir: string;
  stop(): Promise<void>;
}

export async function startServicesBackend(): Promise<ServicesBackend> {
  const projectDir = mkdtempSync(join(tmpdir(), 'plinth-console-'));
  const functionsDir = join(projectDir, 'supabase', 'functions');
  for (const [slug, source] of Object.entries(functions)) {
    mkdirSync(join(functionsDir, slug), { recursive: true });
    writeFileSync(join(functionsDir, slug, 'index.ts'), source);
  }
  writeFileSync(join(functionsDir, '.env'), 'MAIL_KEY=very-secret\n');
  writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "services"\n');
  const backend = await createTestBackend({ projectDir, sql: tables });
  return {
    backend,
    functionsDir,
    async stop() {
      await backend.stop();
      rmSync(projectDir, { recursive: true, force: true });
    },
  };
}
