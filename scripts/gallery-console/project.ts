/** Writes a project folder whose tables, functions and settings ensure that no page of the Console is empty. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { varieties } from './varieties.ts';

const config = `project_id = "greenhouse"

[auth]
site_url = "http://127.0.0.1:5173"
additional_redirect_urls = ["http://127.0.0.1:5173/**"]
enable_anonymous_sign_ins = true

[auth.external.github]
enabled = true
client_id = "greenhouse-app"
secret = "hidden"

[auth.hook.custom_access_token]
enabled = true
uri = "pg-functions://postgres/public/custom_access_token"

[storage.image_transformation]
enabled = true

[storage.buckets.photos]
public = true

[storage.buckets.invoices]
public = false

[functions.send-invoice]
verify_jwt = false
[functions.recalculate-prices]
verify_jwt = false
[functions.health]
verify_jwt = false
`;

const plinth = (target: string): string => `[auth.saml]
enabled = true

[auth.api_keys]
enabled = true
scopes = ["orders:read", "orders:write"]

[backup]
to = "${target}"
encryption_key = "${randomBytes(32).toString('hex')}"
`;

const names = [
  'beds',
  'seeds',
  'plants',
  'orders',
  'order_items',
  'customers',
  'suppliers',
  'invoices',
  'deliveries',
  'employees',
  'shifts',
  'tools',
  'sensors',
  'sensor_readings',
  'watering_plans',
  'newsletter_subscriptions',
  'discount_codes_for_returning_customers',
  'photos',
  'comments',
];

const tables = `${names
  .map(
    (name, index) => `create table public.${name} (
  id bigint generated always as identity primary key,
  name text not null,
  owner uuid references auth.users (id),
  amount numeric(10, 2),
  created_at timestamptz not null default now()
);
insert into public.${name} (name, amount)
  select '${name} ' || i, i * 1.25 from generate_series(1, ${10 + index * 7}) i;
grant all on public.${name} to anon, authenticated, service_role;
${
  index % 4 === 3
    ? ''
    : `alter table public.${name} enable row level security;
create policy "Everyone reads" on public.${name} for select to anon, authenticated using (amount > 5);
create policy "Owners change their rows" on public.${name} for update to authenticated using (owner = auth.uid());`
}`,
  )
  .join('\n')}
create view public.order_totals as select sum(amount) as total from public.orders;
create function public.total_of(order_id bigint, with_tax boolean default true) returns numeric language sql stable as
  $$ select amount * case when with_tax then 1.19 else 1 end from public.orders where id = order_id $$;
create function public.custom_access_token(event jsonb) returns jsonb language sql as $$ select event $$;
grant execute on function public.custom_access_token to supabase_auth_admin;
alter publication supabase_realtime add table public.orders, public.sensor_readings;
create policy "Members join" on realtime.messages for select to authenticated using (true);
`;

const functions: Readonly<Record<string, string>> = {
  health: `Deno.serve(() => Response.json({ ok: true }));\n`,
  'send-invoice': `import { subjectOf } from '../_shared/subject.ts';

Deno.serve(async (request) => {
  const { order } = await request.json().catch(() => ({ order: 1 }));
  console.log('sending the invoice of order', order, 'with the subject', subjectOf(order));
  if (order % 5 === 0) console.warn('order', order, 'has no address; the invoice waits');
  return Response.json({ sent: true, order }, { status: 202 });
});
`,
  'recalculate-prices': `Deno.serve(() => {
  console.log('recalculating');
  throw new TypeError("Cannot read properties of undefined (reading 'price')");
});
`,
};

export interface GalleryProject {
  readonly dir: string;
  write(path: string, text: string): void;
  remove(): void;
}

export function writeEmptyProject(): GalleryProject {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-gallery-'));
  const write = (path: string, text: string): void => {
    const file = join(dir, 'supabase', path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  };
  write('config.toml', 'project_id = "new-project"\n');
  return { dir, write, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

export function writeProject(): GalleryProject {
  const project = writeEmptyProject();
  const { dir, write } = project;
  write('config.toml', config);
  write('plinth.toml', plinth(join(dir, 'backups')));
  write('migrations/20260101000000_tables.sql', tables + varieties);
  write(
    'migrations/20260201000000_add_notes_to_orders.sql',
    'alter table public.orders add column note text;\n',
  );
  write(
    'migrations/20260301000000_removed_later.sql',
    'create table public.old_prices (id int primary key);\n',
  );
  for (const [slug, source] of Object.entries(functions)) write(`functions/${slug}/index.ts`, source);
  write(
    'functions/_shared/subject.ts',
    "export const subjectOf = (order: number): string => 'Your order ' + order;\n",
  );
  write('functions/.env', 'MAIL_KEY=very-secret\nMAP_KEY=secret-too\n');
  return project;
}
