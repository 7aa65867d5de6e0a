-- These functions set the topic for the policies that check the message. Afterward, the topic has its previous value
-- again, so that it doesn't affect policies that are checked later in the caller's transaction. If the insert fails, the
-- exception block restores the previous value.
set local role supabase_realtime_admin;

create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
language plpgsql
as $$
declare
  message_id uuid := gen_random_uuid();
  previous_topic constant text := coalesce(current_setting('realtime.topic', true), '');
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (
    message_id,
    case when payload ? 'id' then payload else jsonb_set(payload, array['id'], to_jsonb(message_id)) end,
    event, topic, private, 'broadcast'
  );
  perform set_config('realtime.topic', previous_topic, true);
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

create or replace function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void
language plpgsql
as $$
declare
  previous_topic constant text := coalesce(current_setting('realtime.topic', true), '');
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, binary_payload, event, topic, private, extension)
  values (gen_random_uuid(), payload, event, topic, private, 'broadcast');
  perform set_config('realtime.topic', previous_topic, true);
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;
