-- When a session ends, the server uses this index to find the identities that the session was linking.
create index flow_state_linking_target_id_idx on auth.flow_state (linking_target_id)
  where linking_target_id is not null;
