/** Texts from which a new function can start. */
import type { Template } from '../definition-panel.tsx';
import { t } from '../text.ts';

export const templates = (): readonly Template[] => [
  {
    label: t('routines.template-sql'),
    text: `create function public.my_function(amount integer)
returns integer
language sql
stable
set search_path = ''
as $function$
  select amount * 2;
$function$;
`,
  },
  {
    label: t('routines.template-plpgsql'),
    text: `create function public.my_function(amount integer)
returns integer
language plpgsql
set search_path = ''
as $function$
begin
  if amount < 0 then
    raise exception 'amount must not be negative';
  end if;
  return amount * 2;
end;
$function$;
`,
  },
  {
    label: t('routines.template-trigger'),
    text: `create function public.my_trigger_function()
returns trigger
language plpgsql
set search_path = ''
as $function$
begin
  new.updated_at := pg_catalog.now();
  return new;
end;
$function$;
`,
  },
  {
    label: t('routines.template-procedure'),
    text: `create procedure public.my_procedure(amount integer)
language plpgsql
set search_path = ''
as $procedure$
begin
  raise notice 'amount: %', amount;
end;
$procedure$;
`,
  },
];
