/** A project's table and its function for [auth.hook.guest_hand_over], with a way to fail. */
export const handOverSql = `
  create table public.notes (
    id bigint generated always as identity primary key,
    owner uuid not null references auth.users (id) on delete cascade,
    body text not null
  );
  create table public.trouble (word text);
  create table public.calls (event jsonb);
  create function public.hand_over_guest(event jsonb) returns jsonb
  language plpgsql security definer set search_path = ''
  as $$
  begin
    if exists (select from public.trouble) then
      raise exception 'no';
    end if;
    insert into public.calls values (event);
    update public.notes set owner = (event ->> 'user_id')::uuid where owner = (event ->> 'guest_id')::uuid;
    return '{}';
  end
  $$;
  revoke execute on function public.hand_over_guest from public, anon, authenticated;
  grant execute on function public.hand_over_guest to supabase_auth_admin;`;
