-- Ending a session searches for the identities that it was linking.
create index flow_state_linking_target_id_idx on auth.flow_state (linking_target_id)
  where linking_target_id is not null;
