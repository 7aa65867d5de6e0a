-- Accounts without superuser privileges needed this privilege to transfer functions (database/sql/0023).
revoke create on schema _plinth from supabase_storage_admin;
