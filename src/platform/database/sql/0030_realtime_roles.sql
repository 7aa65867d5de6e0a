-- The realtime service can switch to every role that the authenticator can switch to, such as a role of the project
-- that tokens name.
select _plinth.attempt('grant authenticator to supabase_realtime_admin');
