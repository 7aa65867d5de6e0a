/** The SQL that adds users with every status that the users page shows. */
export const people = `
insert into auth.users (instance_id, id, aud, role, email, phone, created_at, last_sign_in_at, email_confirmed_at,
    phone_confirmed_at, invited_at, banned_until, is_anonymous, raw_app_meta_data, raw_user_meta_data,
    confirmation_token, recovery_token, email_change_token_new, email_change)
  select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
    case when kind not in ('guest', 'phone') then lower(first || '.' || last) || '@example.com' end,
    case when kind = 'phone' then '4917055501' || lpad(i::text, 2, '0') end,
    now() - i * interval '17 hours', case when kind not in ('invited', 'unconfirmed') then now() - i * interval '5 hours' end,
    case when kind not in ('invited', 'unconfirmed', 'guest', 'phone') then now() - i * interval '17 hours' end,
    case when kind = 'phone' then now() - i * interval '17 hours' end,
    case when kind = 'invited' then now() - i * interval '17 hours' end,
    case kind when 'banned' then now() + interval '7 days' when 'banned forever' then now() + interval '99 years' end,
    kind = 'guest', case when kind = 'github' then '{"provider": "github", "role": "staff"}' else '{}' end::jsonb,
    case when kind = 'guest' then '{}' else jsonb_build_object('full_name', first || ' ' || last) end, '', '', '', ''
  from generate_series(1, 70) i, lateral (select
    (array['member', 'github', 'member', 'invited', 'banned', 'guest', 'phone', 'unconfirmed', 'member', 'banned forever'])[1 + i % 10] as kind,
    (array['Annie', 'Margaret', 'Radia', 'Katherine', 'Hedy', 'Frances', 'Jean'])[1 + i % 7] as first,
    (array['Easley', 'Hamilton', 'Perlman', 'Johnson', 'Lamarr', 'Allen', 'Bartik', 'Sammet', 'Goldberg', 'Keller-Zimmermann'])[1 + i / 7] as last
  ) person;
insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
  select coalesce(email, phone, id::text), id, jsonb_build_object('sub', id, 'email', email),
    case when raw_app_meta_data ->> 'provider' = 'github' then 'github' when phone is not null then 'phone' else 'email' end,
    last_sign_in_at, created_at, created_at
  from auth.users where not is_anonymous and not exists (select from auth.identities where user_id = users.id);
insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
  select gen_random_uuid(), id, 'Phone', 'totp', 'verified', now(), now(), 'secret'
  from auth.users where email in ('ada@example.com', 'margaret.easley@example.com');
insert into _plinth.user_api_keys (id, user_id, name, hash, beginning, scopes, created_at, expires_at, last_used_at)
  select gen_random_uuid(), u.id, key.name, key.name, key.beginning, key.scopes, now() - key.age, now() - key.age + interval '90 days',
    case when key.used is not null then now() - key.used end
  from auth.users u, (values
    ('Nightly import of the orders from the shop', 'plinth_uk_9fKq', '{orders:read,orders:write}'::text[], interval '12 days', interval '7 hours'),
    ('Spreadsheet', 'plinth_uk_Zt4B', '{orders:read}', interval '95 days', interval '20 days'),
    ('Weather station', 'plinth_uk_c07M', '{}', interval '1 day', null)
  ) key (name, beginning, scopes, age, used)
  where u.email = 'ada@example.com';
`;
