/**
 * Defines a project whose rows are transferred by the function from docs/account.md. A row in `public.trouble` makes
 * the function fail.
 */
import { readFileSync } from 'node:fs';

const documented = /```sql\n([\s\S]*?)```/.exec(
  readFileSync(new URL('../../docs/account.md', import.meta.url), 'utf8'),
)?.[1];

export const handOverSql = `
  create table public.notes (
    id bigint generated always as identity primary key,
    owner uuid not null references auth.users (id) on delete cascade,
    body text not null
  );
  create table public.settings (
    owner uuid primary key references auth.users (id) on delete cascade,
    theme text not null
  );
  ${documented}
  -- A row in trouble makes the function fail; calls counts those that went through.
  create table public.trouble (word text);
  create table public.calls (guest uuid, account uuid);
  create function public.watch() returns trigger language plpgsql security definer set search_path = ''
  as $$
  begin
    if exists (select from public.trouble) then
      raise exception 'no';
    end if;
    insert into public.calls values (old.owner, new.owner);
    return new;
  end
  $$;
  create trigger watch before update on public.notes for each row execute function public.watch();`;
